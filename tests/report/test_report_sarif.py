"""SARIF: valid against the schema, places exact, fingerprints that survive a move."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from report_pages import finding, report, site, write
from rich_reports import hostile, rich

from whygrad.flow.site import Site
from whygrad.report.sarif_form import _markdown, as_text, to_sarif
from whygrad.rules.catalogue import RULES

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json"


@pytest.fixture(scope="module")
def schema():
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text()), format_checker=jsonschema.FormatChecker())


def valid(schema, one, status=None):
    data = json.loads(as_text(one, "0.1.0", status))
    assert [error.message for error in schema.iter_errors(data)] == []
    [run] = data["runs"]
    return run


def texts(data):
    if isinstance(data, str):
        yield data
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from texts(part)


def test_valid(schema, tmp_path):
    run = valid(schema, rich(tmp_path), 3)
    assert run["invocations"][0]["exitCode"] == 3
    assert [n["level"] for n in run["invocations"][0]["toolExecutionNotifications"]] == ["note", "error"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["W104", "W102", "W109"]
    assert valid(schema, report())["results"] == []


def test_the_schema_would_notice(schema):
    data = to_sarif(report(finding(None)), "0.1.0")
    data["runs"][0]["results"][0]["level"] = "fatal"
    assert list(schema.iter_errors(data))


def test_hostile_texts(schema, tmp_path):
    one = hostile(tmp_path)
    run = valid(schema, one)
    for text in texts(run):
        assert all(character.isprintable() or character == "\n" for character in text)
    # A part of a rule's page or an unknown code never becomes a key.
    assert (
        valid(schema, replace(one, findings=(replace(one.findings[0], code="<b>"),)))["results"][0]["ruleId"] == "<b>"
    )


def test_places(schema, tmp_path):
    run = valid(schema, rich(tmp_path))
    [where] = run["results"][0]["locations"]
    place = where["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {
        "startLine": 44, "startColumn": 9, "endColumn": 29, "snippet": {"text": "tf.argmax(q, axis=1)"},
    }  # fmt: skip
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{tmp_path.as_uri()}/"
    flow = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in flow][-1] == "the loss"


def test_columns_are_utf16(schema, tmp_path):
    file = write(tmp_path / "t.py", {1: "'😀é', 模型(x)"})
    [result] = valid(schema, report(finding(site(file, 1, "模型(x)"))))["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["endColumn"]) == (8, 13)


def test_an_expression_over_several_lines_and_one_that_is_unknown(schema, tmp_path):
    file = write(tmp_path / "t.py", {1: "x = f(", 2: "  é, 2)"})
    several, unknown = Site(str(file), 1, 4, 2, 8, "g"), Site("<string>", 7, 0, 7, 0, "")
    run = valid(schema, report(finding(several), finding(unknown), finding(Site("/no/where.py", 0, 0, 0, 0, ""))))
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert regions[0] | {"snippet": None} == {
        "startLine": 1, "startColumn": 5, "endLine": 2, "endColumn": 8, "snippet": None,
    }  # fmt: skip
    assert regions[1:] == [{"startLine": 7}, {"startLine": 1}]


def test_paths_with_blanks_and_the_like(schema, tmp_path):
    folder = tmp_path / "my lab #1: 100%"
    folder.mkdir()
    file = write(folder / "tränñ.py", {1: "x"})
    one = report(finding(site(file, 1, "x")), root=str(tmp_path), folder=str(folder))
    [result] = valid(schema, one)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert urlsplit(uri).scheme == ""
    assert unquote(uri) == "my lab #1: 100%/tränñ.py"
    outside = valid(schema, replace(one, root="/somewhere/else"))["results"][0]
    assert outside["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": file.as_uri()}


def test_fingerprints_survive_a_move_and_tell_faults_apart(schema, tmp_path):
    def prints(first, text="y = x.detach()"):
        file = write(tmp_path / f"t{first}.py", {first: text, first + 1: text})
        file = file.rename(tmp_path / "t.py")
        import linecache

        linecache.clearcache()
        two = [finding(site(file, line, text[4:]), message=f"at line {line}") for line in (first, first + 1)]
        one = report(*two, root=str(tmp_path))
        return [result["partialFingerprints"]["whygrad/v1"] for result in valid(schema, one)["results"]]

    assert prints(1) == prints(30)
    assert len(set(prints(1))) == 2
    assert not set(prints(1)) & set(prints(1, "y = x.data    "))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_pages_as_markdown(rule):
    text = _markdown(rule.manual.strip())
    assert text.count("```") % 2 == 0
    assert "### What it checks" in text
    assert "### When it is meant" in text
    assert "```python\n" in text
