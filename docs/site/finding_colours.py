"""Colours for what whygrad prints: `text` blocks are findings more often than not."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Generic, Keyword, Number, Text
from sphinx.application import Sphinx


class FindingLexer(RegexLexer):
    """Marks the code of a finding, the guilty expression, `why` and `fix`; everything else is plain."""

    name = "what whygrad prints"
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"^\$ .*$", Generic.Heading),
            (r"^\s*(error|warning|note)\[W\d{3}\] [\w-]+", Generic.Error),
            (r"^\S*(?:Error|Fault|BrokenContract)\b", Generic.Error),
            (r"^(  )(why|fix|more|variables)(:)", bygroups(Text, Keyword, Text)),
            (r"^( +)(\d+)( │)", bygroups(Text, Number, Text)),
            (r"\^\^+", Generic.Error),
            (r"╰── .*$", Comment),
            (r"⋮", Comment),
            (r"[^\n\^╰⋮]+", Text),
            (r".|\n", Text),
        ]
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_lexer("text", FindingLexer)
    return {"parallel_read_safe": True}
