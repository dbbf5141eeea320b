"""Run the command line as `python -m boardgames.cli`."""

from boardgames.cli.main import main

if __name__ == "__main__":
    main()
