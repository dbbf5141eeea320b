"""Programs that the tests start contain no tests."""

collect_ignore = ["chaotic_engine.py", "fake_engine.py"]
