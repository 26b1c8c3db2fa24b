"""The pages of the rules, from their docstrings: the text of `whygrad explain CODE` as Markdown."""

from __future__ import annotations

import re
import textwrap

from whygrad.rules.catalogue import RULES
from whygrad.rules.finding import Rule

GROUPS = {
    "W1": "A gradient that does not arrive",
    "W2": "A gradient that nobody applies, or to the wrong network",
    "W3": "Clear, backward, clip and step in the wrong order",
    "W4": "A gradient that is there and is useless",
    "W5": "A gradient that is wrong: targets, shapes, sampling, compiling",
}
_FRAMEWORKS = ("PyTorch", "TensorFlow", "JAX")


def rule_pages() -> dict[str, str]:
    """Every rule's page and their list, by their place in the site."""
    return {f"rules/{rule.code}.md": page(rule) for rule in RULES} | {"rules/index.md": overview()}


def overview() -> str:
    """The list of rules in groups."""
    parts = [
        "# Rules",
        "Each rule has a page: what it checks, why that matters, a program that has the fault and its repair in all "
        "three frameworks, what does not help, and when the same thing is meant. `whygrad explain W104` prints the "
        "page in a terminal. Every example on these pages is run by the tests.",
    ]
    for prefix, title in GROUPS.items():
        rules = [rule for rule in RULES if rule.code.startswith(prefix)]
        rows = [f"| [{rule.code} {rule.name}]({rule.code}.md) | {escaped(rule.summary)} |" for rule in rules]
        parts.append("\n".join([f"## {title}", "", "| rule | what it finds |", "|---|---|", *rows]))
    parts.append("\n".join(["```{toctree}", ":hidden:", "", *[rule.code for rule in RULES], "```"]))
    return "\n\n".join(parts) + "\n"


def page(rule: Rule) -> str:
    """One rule's manual page as Markdown."""
    title, _, rest = rule.manual.strip().partition("\n")
    parts = [f"# {title}", escaped(rule.summary).capitalize() + "."]
    for heading, body in _sections(rest):
        parts.append(f"## {heading}")
        parts.append(_with_code(body) if heading in ("Example", "Instead") else _prose(body))
    return "\n\n".join(parts) + "\n"


def _sections(text: str) -> list[tuple[str, str]]:
    found = re.split(r"^(\S.*)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(found[::2], found[1::2], strict=True)
    return [(head.strip(), textwrap.dedent(body).strip("\n")) for head, body in pairs]


def _with_code(body: str) -> str:
    """Blocks of code under the names of the frameworks; what is not code ("Not possible in …") stays text."""
    parts: list[str] = []
    for head, text in _sections(body):
        inner = textwrap.dedent(text).strip("\n")
        if head in _FRAMEWORKS and inner:
            parts.append(f"**{head}**")
            is_text = inner.startswith(("Not possible in", "Nothing to repair"))
            parts.append(_prose(inner) if is_text else f"```python\n{inner}\n```")
        else:
            parts.append(_prose(f"{head}\n{inner}"))
    return "\n\n".join(parts)


_NAME = re.compile(
    r"(?<![\w`.])("
    r"\.?[A-Za-z_][\w.]*\([^()\n]*\)(?:\.\w+\([^()\n]*\))*"  # a call: backward(), .detach(), td.clamp(-1, 1)
    r"|\.[a-z]\w+"  # an attribute: .data
    r"|(?:[a-z]\w*\.)+[a-zA-Z]\w+"  # a path: tf.stop_gradient
    r"|[a-zA-Z]\w*_\w*(?:=[\w.]+)?|\w+=[A-Z]\w+"  # retain_graph=True, loss_1
    r")(?![\w`])"
)


def _prose(text: str) -> str:
    """Paragraphs and, where each sentence has a subject before a colon ("retain_graph=True: …"), a list of them."""
    return "\n\n".join(_paragraph(textwrap.dedent(part)) for part in text.strip("\n").split("\n\n"))


def _paragraph(text: str) -> str:
    lines = text.split("\n")
    starts = [n for n in range(len(lines)) if (n == 0 or lines[n - 1].endswith(".")) and _subject("\n".join(lines[n:]))]
    if not starts or starts[0] != 0 or len(starts) < 2:
        return escaped(text)
    items = ["\n".join(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    return "\n".join("- " + escaped(item).replace("\n", "\n  ") for item in items)


def _subject(text: str) -> bool:
    """Whether a text begins with a few words and a colon."""
    return re.match(r"[^.:]*(?:\.\w[^.:]*)*: ", text.replace("\n", " ")[:110]) is not None


def escaped(text: str) -> str:
    """Plain text in Markdown: names become code, stars and underscores mean themselves."""
    text = _NAME.sub(r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*_<>\[\]|])", r"\\\1", p) for p in parts)
