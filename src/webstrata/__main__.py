"""`python -m webstrata` is the same program as `webstrata`; what a worker starts does without a person's part of it."""

import gc
import sys

if __name__ == "__main__":
    # What is loaded stays: to look for garbage among it all the while takes a tenth of the start.
    gc.set_threshold(50_000)
    if sys.argv[1:2] == ["index-job"] and "--tied" in sys.argv:
        from webstrata.cli.tied import main
    else:
        from webstrata.cli.main import main
    main()
