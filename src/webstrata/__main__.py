"""`python -m webstrata`, the same program as `webstrata`; child processes of a worker load less of it."""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] in (["index-job"], ["run-audits"]) and "--tied" in sys.argv:
        from webstrata.cli.worker_children import main
    else:
        from webstrata.cli.main import main
    main()
