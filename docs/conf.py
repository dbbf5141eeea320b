"""Settings of the documentation, which Sphinx builds with MyST and Furo: `make docs`."""

import re
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "boardgames"
author = "The boardgames contributors"
release = version = version_of("boardgames-core")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
]
smartquotes = False  # they would turn the dashes of options into one

# --- Markdown ---------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# --- reference --------------------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"  # all parameters have types there, and only some have a description
autodoc_preserve_defaults = True
maximum_signature_line_length = 80
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "code"
suppress_warnings = ["ref.python"]  # the axes of arrays, as in `int8[n, actions]`, are not references

# --- pages ------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "boardgames"
html_copy_source = False
html_show_sourcelink = False

# --- arrays -----------------------------------------------------------------------------------------

ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[(?P<type>[^\]]+)\]\]")


def shorten_arrays(
    _app: "Sphinx", _kind: str, _name: str, _value: object, _options: object, *texts: str | None
) -> tuple[str | None, ...]:
    """Write the types of arrays in a signature and of its result as the sources do, `NDArray[uint64]`."""
    return tuple(text and ARRAY.sub(r"~numpy.typing.NDArray[\g<type>]", text) for text in texts)


def setup(app: "Sphinx") -> None:
    """Let `shorten_arrays` see each signature."""
    app.connect("autodoc-process-signature", shorten_arrays)
