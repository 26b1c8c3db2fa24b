"""Makes every W102 in the text of a page a link to the page of that rule."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from whygrad.rules.catalogue import CODES

_CODE = re.compile(r"(W\d{3})")
_LEFT_ALONE = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, addnodes.pending_xref, nodes.raw)


class RuleLinks(SphinxTransform):
    """Runs once for each page, when it has been read."""

    default_priority = 700

    def apply(self, **kwargs: Any) -> None:
        """Replace codes by references."""
        here = self.env.docname
        for text in list(self.document.findall(nodes.Text)):
            if _CODE.search(text) and not _inside(text):
                text.parent.replace(text, [self._part(part, here) for part in _CODE.split(text) if part])

    def _part(self, part: str, here: str) -> nodes.Node:
        if part not in CODES or here == f"rules/{part}":
            return nodes.Text(part)
        link = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/rules/{part}", refdoc=here, refexplicit=True, refwarn=True
        )
        link += nodes.inline("", part)
        return link


def _inside(node: nodes.Node) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, _LEFT_ALONE):
            return True
        parent = parent.parent
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_transform(RuleLinks)
    return {"parallel_read_safe": True}
