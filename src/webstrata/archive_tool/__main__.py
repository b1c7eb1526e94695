"""`python -m webstrata.archive_tool` is the same program as `archive-tool`."""

import gc

if __name__ == "__main__":
    # What is loaded stays: to look for garbage among it all the while takes a tenth of the start.
    gc.set_threshold(50_000)
    from webstrata.archive_tool.cli import main

    main()
