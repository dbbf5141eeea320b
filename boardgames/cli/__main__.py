"""Run the command line with `python -m boardgames.cli`."""

from boardgames.cli.main import main

main()
