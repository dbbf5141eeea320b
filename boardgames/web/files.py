"""The files of the page: read once, so that they always match the running server, and cached by browsers.

The page consists of dozens of modules, which a browser loads once for each version: the addresses in
`index.html` contain a hash of all files.
"""

import gzip
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

INDEX = "index.html"
MIN_COMPRESSED_BYTES = 500
"""Files smaller than this are sent uncompressed."""
FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_NAME = re.compile(r'(?<=href="|.src=")[\w.-]+(?=")')


class PageFiles:
    """Serves the page's files by name, compressed if the browser accepts that.

    Parameters
    ----------
    paths : iterable of Path
        The files, with suffixes from `TYPES`. `index.html` is also served as the root.

    Attributes
    ----------
    version : str
        A hash of all files. It is also the name of a folder in which every file is served with
        permission to cache it forever.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        files = {path.name: path.read_bytes() for path in sorted(paths)}
        self.version = _hash(b"".join(name.encode() + content for name, content in files.items()))
        index = _NAME.sub(
            lambda found: f"{self.version}/{found[0]}" if found[0] in files else found[0],
            files[INDEX].decode(),
        )
        self._files = files | {INDEX: index.encode()}
        self._types = {name: TYPES[Path(name).suffix] for name in self._files}
        self._tags = {name: f'"{_hash(content)}"' for name, content in self._files.items()}

    async def respond(self, request: Request) -> Response:
        """Return the requested file, or status 304 (not modified) if the browser already has it.

        Raises
        ------
        HTTPException
            If there is no such file.
        """
        name = request.path_params.get("name", INDEX)
        if name not in self._files:
            raise HTTPException(404)
        is_latest = request.path_params.get("version") == self.version
        headers = {
            "Cache-Control": FOREVER if is_latest else REVALIDATE,
            "ETag": self._tags[name],
            "Vary": "Accept-Encoding",
        }
        known = request.headers.get("if-none-match", "").split(",")
        if self._tags[name] in (tag.strip().removeprefix("W/") for tag in known):
            return Response(status_code=304, headers=headers)
        body = self._files[name]
        if len(body) >= MIN_COMPRESSED_BYTES and "gzip" in request.headers.get("accept-encoding", ""):
            body, headers["Content-Encoding"] = _compressed(body), "gzip"
        return Response(body, headers=headers, media_type=self._types[name])


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


_compressed = cache(gzip.compress)
