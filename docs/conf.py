"""Settings of the documentation, which Sphinx builds with MyST and Furo: `make docs`."""

import re
from importlib.metadata import version as version_of
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

LICENSE = (Path(__file__).parent.parent / "LICENSE").read_text("utf-8")

project = "boardgames"
author = "The boardgames developers"
project_copyright = re.findall(r"Copyright \(c\) (.+)", LICENSE)[0]
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
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_copy_source = False
html_show_sourcelink = False

# --- signatures -------------------------------------------------------------------------------------

ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[(?P<type>[^\]]+)\]\]")
VARIABLE = re.compile(r"(?:~typing\.)?~(?=\w+(?![\w.]))")
KERNEL = re.compile(r"<kernel (?:\w+\.)*(?P<name>\w+)>")


def shorten_signature(
    _app: "Sphinx", kind: str, _name: str, _value: object, _options: object, *texts: str | None
) -> tuple[str | None, ...]:
    """Write a signature and its result as the sources do.

    The types of arrays become `NDArray[uint64]`, kernels among the defaults their
    names, and a default that is made for each object `...`. Protocols lose their
    parameters, since nobody calls them.
    """
    if kind == "class" and texts[0] == "(*args, **kwargs)":
        return "", *texts[1:]
    return tuple(text and _shortened(text) for text in texts)


def _shortened(text: str) -> str:
    text = ARRAY.sub(r"~numpy.typing.NDArray[\g<type>]", text)
    return KERNEL.sub(r"\g<name>", VARIABLE.sub("", text)).replace("<factory>", "...")


# --- names ------------------------------------------------------------------------------------------


def check_names(_app: "Sphinx", env: "BuildEnvironment") -> None:
    """Warn of names in the reference that cannot be imported as they are written there."""
    from sphinx.util.logging import getLogger  # not above, because tests read this file without Sphinx

    for name, entry in env.domains.python_domain.objects.items():
        is_attribute = entry.objtype == "attribute"  # some have no value before there is an object
        try:
            resolve_name(name.rpartition(".")[0] if is_attribute else name)
        except (ImportError, AttributeError) as error:
            getLogger(project).warning("%s cannot be imported: %s", name, error, location=entry.docname)


def setup(app: "Sphinx") -> None:
    """Let the functions above see each signature and all names."""
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("env-check-consistency", check_names)
