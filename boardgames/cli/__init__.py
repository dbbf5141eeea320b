"""The command line, one module a command; `main` has the group of all commands."""
