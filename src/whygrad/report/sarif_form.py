"""The report as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.report.excerpt import UNICODE, Page, characters
from whygrad.report.report import Report
from whygrad.rules.catalogue import CODES
from whygrad.rules.finding import Finding

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE = "%SRCROOT%"
_PAGE = Page(100, UNICODE, "utf-8")


def as_text(report: Report, version: str, status: int | None = None) -> str:
    """The content of a SARIF file; `status` is the exit status of the run, where it is known."""
    return json.dumps(to_sarif(report, version, status), indent=2) + "\n"


def to_sarif(report: Report, version: str, status: int | None = None) -> dict[str, Any]:
    """One run of whygrad as a SARIF log."""
    codes = list(dict.fromkeys(finding.code for finding in report.findings))
    invocation: dict[str, Any] = {
        "executionSuccessful": True,
        "toolExecutionNotifications": _notifications(report),
    }
    if status is not None:
        invocation["exitCode"] = status
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "whygrad", "semanticVersion": version, "rules": [_rule(code) for code in codes]}},
        "columnKind": "utf16CodeUnits",
        "invocations": [invocation],
        "results": _results(report, codes),
        "properties": {
            "script": _text(report.script),
            "frameworks": [_text(f) for f in report.frameworks],
            "updates": report.updates,
        },
    }
    if report.root:
        run["originalUriBaseIds"] = {_BASE: {"uri": _folder_uri(report.root)}}
        invocation["workingDirectory"] = {"uri": _folder_uri(report.folder or report.root)}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _notifications(report: Report) -> list[dict[str, Any]]:
    """What could not be seen, and the exception that ended the script."""
    found = [{"level": "note", "message": {"text": _text(note)}} for note in dict.fromkeys(report.notes) if note]
    if report.script_error is not None:
        found.append({"level": "error", "message": {"text": f"the script stopped with: {_text(report.script_error)}"}})
    return found


def _rule(code: str) -> dict[str, Any]:
    rule = CODES.get(code)
    if rule is None:  # a report of another version of whygrad
        return {"id": _text(code)}
    page = rule.manual.strip()
    sentence = rule.summary[:1].upper() + rule.summary[1:] + "."
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": sentence},
        "help": {"text": page, "markdown": _markdown(page)},
        "properties": {"tags": ["gradient"]},
    }


_HEADING = re.compile(r"\S.*")
_EXAMPLES = ("Example", "Instead")


def _markdown(page: str) -> str:
    """A manual page: headings at the margin, text indented; under Example and Instead, code by framework."""
    lines: list[str] = []
    example = fenced = False
    for line in page.split("\n")[1:]:
        heading, framework = _HEADING.match(line), re.fullmatch(r"    (\S.*)", line)
        if fenced and (heading or framework):
            lines, fenced = [*_without_blank_end(lines), "```", ""], False
        if heading:
            lines += ["", f"### {line}", ""]
            example = line in _EXAMPLES
        elif example and framework:
            lines += [f"*{framework.group(1)}*", "", "```python"]
            fenced = True
        elif fenced:
            lines.append(line[8:])
        else:
            lines.append(line.strip())
    if fenced:
        lines = [*_without_blank_end(lines), "```"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _results(report: Report, codes: list[str]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    found = []
    for finding in report.findings:
        print_ = _fingerprint(finding, report)
        seen[print_] = seen.get(print_, 0) + 1
        found.append(
            _result(finding, report, codes) | {"partialFingerprints": {"whygrad/v1": f"{print_}:{seen[print_]}"}}
        )
    return found


def _fingerprint(finding: Finding, report: Report) -> str:
    """The same for the same fault after the lines around it have moved: what is wrong, and in which expression."""
    where = finding.where
    place = (_relative(where.file, report.root), where.function, _expression(where, report)) if where else ("", "", "")
    parts = [finding.code, *place, *sorted(finding.variables)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _result(finding: Finding, report: Report, codes: list[str]) -> dict[str, Any]:
    label = f"{finding.label}. " if finding.label else ""
    parts = [finding.message, label + finding.why, f"Fix: {finding.fix}" if finding.fix.strip() else ""]
    texts = [_PAGE.one_line(part) for part in parts if part.strip()]
    result: dict[str, Any] = {
        "ruleId": _text(finding.code),
        "ruleIndex": codes.index(finding.code),
        "level": finding.severity,
        "message": {"text": "\n".join(texts), "markdown": "\n\n".join(texts)},
        "properties": {
            "variables": [_text(name) for name in finding.variables],
            "firstUpdate": finding.first_update,
            "seen": finding.seen,
        },
    }
    if finding.where is not None:
        result["locations"] = [_location(finding.where, report)]
    if finding.path:
        steps = [{"location": _location(step.site, report, step.role)} for step in finding.path]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.loss is not None:
        result["relatedLocations"] = [_location(finding.loss, report, "the loss") | {"id": 1}]
    return result


def _location(site: Site, report: Report, text: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(site.file, report), "region": _region(site, report)}
    }
    if site.function:
        found["logicalLocations"] = [{"name": _text(site.function), "kind": "function"}]
    if text.strip():
        found["message"] = {"text": _PAGE.one_line(text)}
    return found


def _region(site: Site, report: Report) -> dict[str, Any]:
    """Lines and columns from 1, columns in UTF-16 units, the end one past the last."""
    first, last = report.line(site.file, site.line), report.line(site.file, site.end_line)
    region: dict[str, Any] = {"startLine": max(site.line, 1)}
    begin, end = _utf16(first, site.column), _utf16(last, site.end_column)
    if site.end_line > site.line >= 1:
        region |= {"startColumn": begin + 1, "endLine": site.end_line, "endColumn": end + 1}
    elif begin < end:
        region |= {"startColumn": begin + 1, "endColumn": end + 1}
    code = _expression(site, report)
    return region | ({"snippet": {"text": _text(code)}} if code else {})


def _utf16(text: str, offset: int) -> int:
    """UTF-16 units before a byte of a line."""
    before = text[: characters(text, offset)]
    return len(before.encode("utf-16-le", "surrogatepass")) // 2 if text else max(offset, 0)


def _expression(site: Site, report: Report) -> str:
    return expression(site, limit=1000, read=report.line)


def _artifact(file: str, report: Report) -> dict[str, Any]:
    relative = _relative(file, report.root)
    if relative != file:
        return {"uri": _quoted(relative), "uriBaseId": _BASE}
    return {"uri": _file_uri(file) if os.path.isabs(file) else _quoted(file)}


def _relative(file: str, root: str) -> str:
    """The path from the top of the project, where the file lies in it."""
    above = os.path.join(root, "") if root else ""
    return file[len(above) :] if above and file.startswith(above) else file


def _folder_uri(folder: str) -> str:
    return _file_uri(os.path.join(folder, ""))


def _file_uri(path: str) -> str:
    plain = PurePath(path).as_posix() + ("/" if path.endswith(("/", os.sep)) and len(path) > 1 else "")
    return "file://" + quote(plain if plain.startswith("/") else f"/{plain}", safe="/~", errors="surrogatepass")


def _quoted(path: str) -> str:
    """A relative reference; a colon in its first part would be taken for a scheme."""
    return quote(PurePath(path).as_posix(), safe="/~", errors="surrogatepass")


def _text(text: str) -> str:
    """Every character visible, line breaks kept."""
    return "\n".join(_PAGE.clean(line) for line in _lines(text))


def _lines(text: str) -> Iterable[str]:
    return re.split(r"\r\n|\n|\r", text)
