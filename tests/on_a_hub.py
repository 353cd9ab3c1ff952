"""A machine of its own, with accounts, a JupyterHub and what its administrator installs: a mount namespace of this one.

/etc, /home, /opt and /srv are its own, so accounts and configuration are made as on any machine, and nothing of them is
left. Its processes end with it.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from test_ordinary_user import exposed
from waiting import HANGS, eventually

OWN = ("home", "opt", "srv")                # folders of the machine, besides /etc, that hide this one's
INSTALLED = "/opt/autograder"


class Machine:
    """Everything below `folder`, but what is installed, which may be kept for other machines."""

    def __init__(self, folder: Path, installed: Path):
        self.folder = folder
        for name in (*OWN, "aside"):
            (folder / name).mkdir(parents=True)
        shutil.copytree("/etc", folder / "etc", symlinks=True, copy_function=_copied)
        with (folder / "log").open("w") as log:
            self._process = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "sh", "-ec",
                 "\n".join([*self._mounts(installed), "echo ready", "exec sleep infinity"])],
                stdout=subprocess.PIPE, stderr=log, text=True)
        if self._process.stdout.readline() != "ready\n":
            self.end()
            raise AssertionError((folder / "log").read_text())
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        self._enter = ["nsenter", "--target", children.split()[0], "--mount", "--pid"]

    @staticmethod
    def why_not() -> str:
        """Why there can be none here; "" if there can."""
        tried = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "mount", "--make-rprivate", "/"]
        done = subprocess.run(tried, capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else ""

    def _mounts(self, installed: Path) -> list[str]:
        place = self.folder
        return ["mount --make-rprivate /",
                *(f"mkdir -p {place}/{name}/{each.name} && mount --rbind {each} {place}/{name}/{each.name}"
                  for name in OWN for each in sorted(Path("/", name).glob("*/"))),
                f"mkdir -p {place}{INSTALLED} && mount --bind {installed} {place}{INSTALLED}",
                *(f"mount --rbind {place}/{name} /{name}" for name in (*OWN, "etc")),
                *exposed([Path(sys.base_prefix)], place / "aside")]

    def command(self, user: str, script: str) -> list[str]:
        """What types this script as root, or in a login shell of this user, at home."""
        if user == "root":
            path = f"PATH={sys.base_prefix}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            return [*self._enter, "env", path, "bash", "-ec", script]
        return [*self._enter, "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", "-i",
                f"HOME=/home/{user}", f"USER={user}", "bash", "-lec", f"cd\n{script}"]

    def typed(self, user: str, script: str, where: str = "/root") -> str:
        """What it says; it must succeed."""
        done = subprocess.run(self.command(user, f"cd {where}\n{script}"), text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS, check=False)
        assert done.returncode == 0, f"{user}: {script}\n{done.stdout[-3000:]}"
        return done.stdout

    def end(self) -> None:
        self._process.kill()
        self._process.wait(HANGS)


def _copied(source: str, target: str) -> None:
    with suppress(OSError):                 # a file that is gone meanwhile, or was never a file
        shutil.copy2(source, target)
        status = os.stat(source)
        os.chown(target, status.st_uid, status.st_gid)


# --- the hub ------------------------------------------------------------------------------------------------------

def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Hub:
    """A JupyterHub on this machine by its configuration, at free ports of the loopback; and whoever asks it something.
    """

    def __init__(self, machine: Machine, configuration: str):
        self.machine, self.token, port = machine, os.urandom(16).hex(), free_port()
        self.address = f"http://127.0.0.1:{port}"
        folder = machine.folder / "srv" / "jupyterhub"
        folder.mkdir()
        (folder / "jupyterhub_config.py").write_text("\n".join([
            "c = get_config()", configuration,
            f"c.JupyterHub.bind_url = {self.address!r}",
            f"c.JupyterHub.hub_port = {free_port()}",
            f"c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{free_port()}'",
            "c.Authenticator.allow_all = True",
            f"c.JupyterHub.services.append({{'name': 'administrator', 'api_token': {self.token!r}}})",
            "c.JupyterHub.load_roles.append({'name': 'administrator', 'services': ['administrator'],",
            "    'scopes': ['admin:users', 'admin:servers', 'tokens', 'shutdown']})"]))
        self.log = folder / "log"
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                machine.command("root", ". /etc/profile.d/autograder.sh; cd /srv/jupyterhub; exec jupyterhub"),
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        eventually(self._answers, lambda: self._process.poll() is not None and self.log.read_text()[-3000:])

    def _answers(self) -> bool:
        with suppress(OSError):                 # an HTTPError is one
            return bool(self.ask("/hub/api/", token=self.token))
        return False

    def ask(self, path: str, body: Any = None, token: str = "", method: str = "") -> Any:
        """What the hub, or a server behind it, answers: JSON as data, all else as text."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, {"Authorization": f"token {token}"}, method=method or None)
        with urlopen(request, timeout=HANGS) as answer:
            said = answer.read().decode()
        try:
            return json.loads(said)             # nbgrader's answers do not say that they are JSON
        except ValueError:
            return said

    def person(self, name: str) -> Person:
        """Somebody with a server that runs."""
        if name not in {user["name"] for user in self.ask("/hub/api/users", token=self.token)}:
            self.ask(f"/hub/api/users/{name}", {}, self.token)
        token = self.ask(f"/hub/api/users/{name}/tokens", {}, self.token)["token"]
        self.ask(f"/hub/api/users/{name}/server", {}, token)

        def runs() -> bool:
            return self.ask(f"/hub/api/users/{name}", None, self.token)["servers"].get("", {}).get("ready", False)
        eventually(runs, lambda: "failed to start" in self.log.read_text() and self.log.read_text()[-3000:])
        return Person(self, token, f"/user/{name}")

    def restart(self, person: Person) -> Person:
        """The same person, at a server that began anew."""
        self.ask(f"/hub/api{person.server.replace('/user/', '/users/')}/server", None, person.token, "DELETE")
        name = person.server.rpartition("/")[2]
        eventually(lambda: not self.ask(f"/hub/api/users/{name}", token=self.token)["servers"])
        return self.person(name)

    def end(self) -> None:
        """Stop it with everything that it started."""
        self.ask("/hub/api/shutdown", {"proxy": True, "servers": True}, self.token)
        self._process.wait(HANGS)


class Person:
    """Somebody at a server, which is their own or a service."""

    def __init__(self, hub: Hub, token: str, server: str):
        self.hub, self.token, self.server = hub, token, server

    def ask(self, path: str, body: Any = None) -> Any:
        return self.hub.ask(f"{self.server}{path}", body, self.token)

    def at(self, server: str) -> Person:
        return Person(self.hub, self.token, server)

    def refused(self, path: str) -> int:
        """The code with which this is refused; 0 if it is not."""
        try:
            self.ask(path)
        except HTTPError as error:
            return error.code
        return 0

    def assignments(self, action: str, course: str, assignment: str) -> list[dict]:
        """A button of the tab Assignments; what the tab shows afterwards."""
        shown = self.ask(f"/assignments/{action}", {"course_id": course, "assignment_id": assignment})
        assert shown["success"], shown["value"]
        return shown["value"]

    def address(self, path: str) -> str:
        """Where a browser finds this file of the server."""
        return f"{self.server}/files/{quote(path)}"

    def type(self, *lines: str) -> str:
        """Type these lines in a new terminal of the server, one after another; each must succeed. What it shows."""
        import websocket
        name = self.ask("/api/terminals", {})["name"]
        address = f"{self.hub.address.replace('http', 'ws')}{self.server}/terminals/websocket/{name}"
        terminal = websocket.create_connection(address, timeout=HANGS, header=[f"Authorization: token {self.token}"])
        shown = ""
        try:
            for line in lines:
                terminal.send(json.dumps(["stdin", f"{line}\necho \"[ended $?]\"\n"]))
                said = ""
                while not (ended := re.search(r"\[ended (\d+)\]", said)):
                    kind, *words = json.loads(terminal.recv())
                    said += words[0] if kind == "stdout" else ""
                shown += said
                assert ended[1] == "0", f"{line}\n{said}"
        finally:
            terminal.close()
        return shown
