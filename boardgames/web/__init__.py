"""The browser interface: a local server for playing and watching matches (needs the extra `web`)."""
