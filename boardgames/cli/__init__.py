"""The command line: the group `bg`, one module a command."""
