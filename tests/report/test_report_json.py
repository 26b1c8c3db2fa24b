"""Saved reports: written down, read again, drawn as before, also where the source is gone."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest
from report_pages import ARGMAX, argmax, finding, report, write
from rich_reports import hostile, rich

from whygrad.flow.site import Site
from whygrad.report import github_form, html_page, sarif_form
from whygrad.report.json_form import as_text, from_json, from_text, to_json
from whygrad.report.plain import Unreadable
from whygrad.report.terminal import Options, render

DESIGNED = {
    "schema": int, "script": str, "frameworks": list, "updates": int, "script_error": str, "findings": list,
    "notes": list,
}  # fmt: skip
OF_A_FINDING = {
    "code": str, "rule": str, "severity": str, "message": str, "why": str, "fix": str, "variables": list, "where": dict,
    "loss": dict, "path": list, "first_update": int, "seen": int,
}  # fmt: skip


@pytest.mark.parametrize("make", [rich, hostile])
def test_round_trip(tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    before = make(tmp_path)
    options = [Options(), Options(width=60), Options(width=100, unicode=False), Options(quiet=True)]
    texts = [render(before, one) for one in options]
    html, sarif = html_page.render(before, "1"), sarif_form.as_text(before, "1")
    annotations, cell, saved = github_form.render(before), before._repr_html_(), as_text(before)
    for file in tmp_path.glob("*.py"):
        file.write_text("the file is now another\n" * 50)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    after = from_text(saved)
    assert after == before
    assert [render(after, one) for one in options] == texts
    assert html_page.render(after, "1") == html
    assert sarif_form.as_text(after, "1") == sarif
    assert github_form.render(after) == annotations
    assert after._repr_html_() == cell
    assert as_text(after) == saved


def test_the_designed_keys(tmp_path):
    data = to_json(rich(tmp_path))
    assert {key: type(data[key]) for key in DESIGNED} == DESIGNED
    one = data["findings"][0]
    assert {key: type(one[key]) for key in OF_A_FINDING} == OF_A_FINDING
    assert one["where"]["code"] == "tf.argmax(q, axis=1)"
    assert {"file", "line", "column", "end_column", "function", "code"} <= set(one["where"])
    assert {"file", "line"} <= set(one["loss"])
    assert all({"file", "line", "op", "role"} <= set(step) for step in one["path"])
    assert one["why"].startswith("the gradient stops here: argmax")
    empty = to_json(report())
    assert (empty["findings"], empty["script_error"], empty["sources"]) == ([], None, {})


def test_no_source_is_saved_beyond_what_is_shown(tmp_path):
    secret = {1: "PASSWORD = 'hunter2'"} | {n: f"x{n} = {n}" for n in range(2, 41)}
    file = write(tmp_path / "train.py", secret | ARGMAX)
    text = as_text(report(argmax(file)))
    assert "hunter2" not in text
    assert "x30" not in text


def test_a_docstring_cut_in_half_is_no_context(tmp_path):
    text = 'def f(q):\n    """Text\n    more text"""\n    return q.detach()\n'
    (tmp_path / "a.py").write_text(text)
    one = finding(Site(str(tmp_path / "a.py"), 4, 11, 4, 21, "f"))
    assert list(to_json(report(one))["sources"].values()) == [{"2": '    """Text', "4": "    return q.detach()"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not written by `whygrad run --json`: it is not JSON"),
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1, 2]", "it has no findings"),
        ('{"version": "2.1.0", "runs": []}', "it has no findings"),
        ('{"findings": []}', "it has no schema"),
        ('{"schema": 99, "findings": []}', "it has the form 99 and this whygrad reads form 1"),
        ('{"schema": 1, "findings": []}', "written by an older whygrad"),
        ('{"schema": 1, "findings": [], "sources": {}}', "the report has no 'script'"),
    ],
)
def test_what_is_no_report(text, says):
    with pytest.raises(Unreadable, match=r"^.*$") as caught:
        from_text(text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(updates="4"), "the report.updates should be a whole number and is a text"),
        (lambda d: d.update(updates=True), "updates should be a whole number and is true or false"),
        (lambda d: d["findings"].append(3), "findings[3] should be an object"),
        (lambda d: d["findings"][0].pop("fix"), "findings[0] has no 'fix'"),
        (
            lambda d: d["findings"][1].update(severity="fatal"),
            "findings[1].severity should be one of 'error', 'warning'",
        ),
        (lambda d: d["findings"][0]["where"].update(line=None), "findings[0].where.line should be a whole number"),
        (lambda d: d["findings"][0]["where"].update(end_line=10**12), "an expression that never ends"),
        (lambda d: d["findings"][0]["path"][1].pop("role"), "findings[0].path[1] has no 'role'"),
        (lambda d: d.update(sources=[]), "the report.sources should be an object and is a list"),
        (lambda d: d["sources"].update({"a.py": {"x": "y"}}), "should hold texts by line number"),
        (lambda d: d["sources"].update({"a.py": 3}), "sources['a.py'] should be an object"),
        (lambda d: d["ownership"][0]["losses"][0]["cells"].pop(), "does not fit together"),
        (lambda d: d["ownership"][0]["networks"][0].update(optimizers=[7]), "does not fit together"),
        (lambda d: d["drawings"][0]["edges"][0].update(target=77), "a line to a box that is not there"),
    ],
)
def test_a_report_that_was_damaged(tmp_path, change, says):
    data = to_json(rich(tmp_path))
    change(data)
    with pytest.raises(Unreadable) as caught:
        from_json(data)
    assert says in str(caught.value)


def test_keys_of_a_newer_whygrad_are_no_obstacle(tmp_path):
    before = rich(tmp_path)
    data = to_json(before)
    newer = copy.deepcopy(data)
    newer["shiny"] = newer["findings"][0]["shiny"] = newer["drawings"][0]["nodes"][0]["shiny"] = [1]
    assert from_json(newer) == from_json(data) == before


def test_where_the_label_was_all(tmp_path):
    one = report(finding(None, why="", label="nothing was recorded"), finding(None, label=""))
    assert from_json(json.loads(as_text(one))) == one


def test_a_report_without_a_saved_source_reads_the_files(tmp_path):
    file = write(tmp_path / "train.py", ARGMAX)
    one = report(argmax(file))
    assert one.line(str(file), 44) == ARGMAX[44]
    assert replace(one, sources={}).line(str(file), 44) == ""
