"""Run the command line as `python -m boardgames`."""

from boardgames.cli.start import main

if __name__ == "__main__":
    main()
