"""Run the command line as `python -m boardgames.cli`."""

from boardgames.cli.start import main

if __name__ == "__main__":
    main()
