"""The meaning of zimit's exit codes, and when a final build is needed."""

from collections.abc import Collection

SUCCESSES = (0, 16, 32, 33)
"""Exit codes of zimit for a finished crawl, whether a limit or the site ended it."""

REFUSALS = (2, 126, 127)
"""Exit codes for wrong arguments, of zimit or of Docker: a second run would end the same way."""

ALWAYS, NEVER = "always", "never"


def judged(exit_code: int) -> int:
    """Return a container's exit code with every success as 0."""
    return 0 if exit_code in SUCCESSES else exit_code


def wants_final_build(choice: str, places: Collection[str], *, has_zim: bool) -> bool:
    """Return whether a ZIM must be built from all WARC files of a crawl, given their folders. zimit's own ZIM contains
    only the captures since its last start; after a limit there is none at all."""
    if not places or choice == NEVER:
        return False
    return choice == ALWAYS or len(places) > 1 or not has_zim
