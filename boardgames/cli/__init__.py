"""The command line. Each command has a module of its own; `main` groups them."""
