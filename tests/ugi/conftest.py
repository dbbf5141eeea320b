"""Exclude the programs that the tests start, which contain no tests."""

collect_ignore = ["chaotic_engine.py", "fake_engine.py"]
