"""Settings of Sphinx for `python -m docs.site`."""

from importlib.metadata import version as version_of

project = "neurprise"
release = version = version_of("neurprise")
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
html_theme = "furo"
html_title = f"neurprise {release}"
html_copy_source = html_show_sourcelink = False

myst_heading_anchors = 4
nb_execution_mode = "force"  # the notebook is executed anew with every build
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False
numpydoc_show_inherited_class_members = False
exclude_patterns = ["examples/**"]
suppress_warnings = ["myst.header"]  # a page may begin below its title


def _escape_bars(app, what, name, obj, options, lines):  # type: ignore[no-untyped-def]
    """|R| in a docstring is a size, not a substitution."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app):  # type: ignore[no-untyped-def]
    app.connect("autodoc-process-docstring", _escape_bars, priority=900)  # after numpydoc
