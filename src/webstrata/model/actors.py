"""Authors of changes, as the audit log names them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """The author of a change, and the request that made it, if there is one."""

    name: str
    request_id: str | None = None
    client: str | None = None


PROGRAM = Actor("program")
"""The program itself, for changes that no person requested."""

COMMAND_LINE = Actor("command line")
ADMIN_TOKEN = "admin token"  # noqa: S105 - who, not what
WEB_LOGIN = "web login"
OPEN_DEVELOPMENT = "open development"
