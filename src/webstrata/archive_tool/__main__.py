"""`python -m webstrata.archive_tool` is the same program as `archive-tool`."""

from webstrata.archive_tool.cli import main

if __name__ == "__main__":
    main()
