"""Who changes something: the audit log names them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """Somebody who changes something, and the request that they do it by, where there is one."""

    name: str
    request_id: str | None = None
    client: str | None = None


PROGRAM = Actor("program")
"""Nobody in particular: what the program does of its own accord."""

COMMAND_LINE = Actor("command line")
ADMIN_TOKEN = "admin token"  # noqa: S105 - who, not what
WEB_LOGIN = "web login"
OPEN_DEVELOPMENT = "open development"
