"""Programs that the tests start are no modules to look for tests in."""

collect_ignore = ["chaos.py", "fakes.py"]
