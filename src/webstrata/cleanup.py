"""`python -m webstrata.cleanup`: one cleanup of expired html_gz artifacts, as `webstrata cleanup` does it."""

import sys

from webstrata.cli.main import run
from webstrata.db.retention.artifacts import get_expired_html_artifacts, mark_artifact_deleted

__all__ = ["get_expired_html_artifacts", "main", "mark_artifact_deleted"]


def main() -> None:
    """Run one cleanup and leave with its exit code."""
    sys.exit(run(["cleanup", *sys.argv[1:]], "webstrata"))


if __name__ == "__main__":
    main()
