"""The browser: matches on a local page, served by Starlette (extra `web`)."""
