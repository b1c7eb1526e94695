"""`python -m webstrata` is the same program as `webstrata`; what a worker starts does without a person's part of it."""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] in (["index-job"], ["run-audits"]) and "--tied" in sys.argv:
        from webstrata.cli.worker_children import main
    else:
        from webstrata.cli.main import main
    main()
