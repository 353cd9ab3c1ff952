"""`python -m autograder.package.run`: now `autograder.integrations.run`."""
import sys

from autograder.integrations.run import main

if __name__ == "__main__":
    sys.exit(main())
