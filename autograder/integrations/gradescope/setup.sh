#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Python 3.11 to 3.13, and the autograder in its
# own environment beside this file.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

python_here() {
    for name in python3.12 python3.13 python3.11 python3; do
        command -v "$name" >/dev/null || continue
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

if ! python="$(python_here)"; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # Ubuntu 24.04 has 3.12; 22.04 has 3.11 beside its default
    apt-get install -y -qq python3.12-venv || apt-get install -y -qq python3.11-venv
    python="$(python_here)" || { echo "autograder: no Python 3.11 to 3.13 found; choose Ubuntu 24.04 or 22.04" >&2; exit 1; }
fi

"$python" -m venv "$here/venv"
"$here/venv/bin/python" -m pip install --quiet --requirement "$here/requirements.txt"
"$here/venv/bin/python" -m pip install --quiet --no-deps "$here"/*.whl

# Only root may read the checks; students' code also runs behind the autograder's own wall.
chmod -R go-rwx "$here"
"$here/venv/bin/python" -m autograder --version
