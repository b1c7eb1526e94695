"""`python -m webstrata` is the same program as `webstrata`."""

from webstrata.cli.main import main

if __name__ == "__main__":
    main()
