"""Sphinx' settings. `build.py` gathers the pages and calls Sphinx with this file; nothing is fetched from anywhere."""

from __future__ import annotations

import whygrad

project = "whygrad"
author = "the whygrad authors"
copyright = "the whygrad authors, Apache-2.0"
version = release = whygrad.__version__

extensions = ["myst_parser", "sphinx_copybutton", "rule_links", "finding_colours"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # lessons go from a title to a cell's own heading

nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures; what our own texts link to is a Markdown link
python_maximum_signature_line_length = 80

html_theme = "furo"
html_title = "whygrad"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b57a4", "color-brand-content": "#0b57a4"},
    "dark_css_variables": {"color-brand-primary": "#7db7ff", "color-brand-content": "#7db7ff"},
    "footer_icons": [],
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_exclude = ".linenos, .gp, .go"
