"""Settings of the documentation, which Sphinx builds with MyST and Furo: `make docs`."""

from importlib.metadata import version as version_of

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
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "code"

# --- pages ------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "boardgames"
html_copy_source = False
html_show_sourcelink = False
