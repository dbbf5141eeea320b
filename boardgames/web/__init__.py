"""Play and watch matches in the browser, on a local page that Starlette serves; needs the extra `web`."""
