"""`-p autograder.pytest_plugin`: now `autograder.integrations.pytest_plugin`."""
from autograder.integrations.pytest_plugin import *  # noqa: F403
