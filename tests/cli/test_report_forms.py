"""The forms of a report from the command line: several in one run, saved and drawn again, and what goes wrong."""

from __future__ import annotations

import json
import os

import pytest
from cli_runs import whygrad, write

BROKEN = """\
import torch
from torch import nn
torch.manual_seed(0)
actor = nn.Linear(2, 2)
critic = nn.Linear(2, 1)
opt = torch.optim.SGD([*actor.parameters(), *critic.parameters()], 0.1)
for _ in range(2):
    action = actor(torch.ones(4, 2)).detach()
    loss = critic(action).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("end", end="")
"""


@pytest.fixture(scope="module")
def saved(warm, tmp_path_factory):
    """A folder with a run of the broken script and everything that it wrote."""
    folder = tmp_path_factory.mktemp("run")
    write(folder, train=BROKEN)
    result = warm.whygrad(
        folder, "run", "--json", "r.json", "--html", "r.html", "--sarif", "r.sarif", "--format", "github", "--fail-on",
        "error", "train.py",
    )  # fmt: skip
    return folder, result


def test_several_forms_in_one_run(saved):
    folder, result = saved
    assert result.status == 3
    out = result.out.split("\n")
    assert out[0] == "end"  # the script had left its line open, and a command must begin a line
    assert out[1].startswith(
        "::error file=train.py,line=8,col=14,endColumn=46,title=W102 stopped::`actor` (2 variables)"
    )
    assert out[2:] == [""]
    assert "error[W102] stopped: `actor` (2 variables)" in result.err
    assert "::error" not in result.err
    assert json.loads((folder / "r.json").read_text())["findings"][0]["code"] == "W102"
    run = json.loads((folder / "r.sarif").read_text())["runs"][0]
    assert run["results"][0]["ruleId"] == "W102"
    assert run["invocations"][0]["exitCode"] == 3
    page = (folder / "r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert '<mark class="main">actor(torch.ones(<span class="number">4</span>' in page
    assert 'class="slashes"' in page


def test_a_saved_report_is_drawn_again_elsewhere(warm, saved, tmp_path):
    folder, result = saved
    (tmp_path / "r.json").write_bytes((folder / "r.json").read_bytes())
    again = warm.whygrad(tmp_path, "report", "r.json")
    assert (again.status, again.err) == (0, "")
    assert again.out == result.err
    quiet = warm.whygrad(tmp_path, "report", "--quiet", "r.json")
    assert quiet.out.startswith("train.py:8:14: error[W102] `actor`")
    files = warm.whygrad(tmp_path, "report", "r.json", "--html", "x.html", "--sarif", "x.sarif", "--json", "x.json")
    assert (files.status, files.out, files.err) == (0, "", "")
    assert (tmp_path / "x.html").read_text() == (folder / "r.html").read_text()
    assert (tmp_path / "x.json").read_text() == (folder / "r.json").read_text()
    both = warm.whygrad(tmp_path, "report", "r.json", "--html", "y.html", "--format", "text")
    assert both.out == again.out
    annotations = warm.whygrad(tmp_path, "report", "r.json", "--format", "github")
    assert annotations.out.strip("\n") == result.out.split("\n")[1]


@pytest.mark.parametrize("form", ["--json", "--html", "--sarif"])
def test_standard_output_and_input(saved, tmp_path, form):
    folder, _ = saved
    text = (folder / "r.json").read_text()
    result = whygrad(tmp_path, "report", form, "-", "-", stdin=text)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("<!DOCTYPE" if form == "--html" else "{")
    assert result.out.endswith("\n")
    plain = whygrad(tmp_path, "report", form, "-", "-", stdin=text, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert plain.status == 0
    assert plain.out.isascii()


def test_json_to_standard_output_of_a_run(warm, tmp_path):
    write(tmp_path, train=BROKEN.replace('print("end", end="")', ""))
    result = warm.whygrad(tmp_path, "run", "--json", "-", "--quiet", "train.py")
    assert json.loads(result.out)["updates"] == 2
    assert result.err.startswith("train.py:8:14: error[W102]")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--json", "-", "--html", "-"],
            "only one report can go to standard output, and here are --json - and --html -",
        ),
        (["--sarif", "-", "--format", "github"], "--sarif - and --format github"),
        (["--html", "no/where.html"], "does not exist, so the report cannot be written there"),
        (["--sarif", "."], "'.' is a folder"),
        (["--html", ""], "the name of the report's file is empty"),
        (["--html", "a", "--json", "./a"], "--html and --json name the same file"),
        (["--format", "xml"], "invalid choice"),
        (["--html"], ""),
    ],
)
def test_what_cannot_be_written_is_said_before_the_script_starts(warm, tmp_path, options, says):
    write(tmp_path, train="open('started', 'w')\n")
    result = warm.whygrad(tmp_path, "run", *options, "train.py")
    assert result.status == 2
    assert says in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "started").exists()


def test_text_and_another_form_both_on_standard_output(warm, saved, tmp_path):
    result = warm.whygrad(tmp_path, "report", str(saved[0] / "r.json"), "--format", "text", "--html", "-")
    assert (result.status, result.out) == (2, "")
    assert "--html - and --format text" in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "could not be read: No such file or directory"),
        (b"", "it is not JSON"),
        (b"\x80\x04\x95pickle", "it is not text"),
        (b'{"runs": []}', "is no report that can be drawn: it was not written by `whygrad run --json`"),
        (b'{"schema": 2, "findings": []}', "form 2"),
        (b'{"schema": 1, "findings": [1]}', "older whygrad"),
    ],
)
def test_a_file_that_is_no_report(warm, tmp_path, content, says):
    if content is not None:
        (tmp_path / "r.json").write_bytes(content)
    result = warm.whygrad(tmp_path, "report", "r.json", "--html", "x.html")
    assert (result.status, result.out) == (2, "")
    assert says in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "x.html").exists()


def test_paths_are_those_of_the_repository_and_of_the_start(warm, tmp_path):
    lab = tmp_path / "lab"
    (tmp_path / ".git").mkdir()
    lab.mkdir()
    write(lab, train="import os\nos.chdir('/')\n" + BROKEN)
    result = warm.whygrad(lab, "run", "--format", "github", "--sarif", "x.sarif", "--quiet", "train.py")
    assert "::error file=lab/train.py,line=10," in result.out
    assert result.err.startswith("train.py:10:14: error[W102]")
    run = json.loads((lab / "x.sarif").read_text())["runs"][0]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "lab/train.py", "uriBaseId": "%SRCROOT%"}
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{tmp_path.as_uri()}/"


def test_a_folder_that_vanishes_during_the_run(warm, tmp_path):
    (tmp_path / "out").mkdir()
    write(tmp_path, train="import os\nos.rmdir('out')\n")
    result = warm.whygrad(tmp_path, "run", "--html", "out/x.html", "--sarif", "x.sarif", "train.py")
    assert result.status == 2
    assert "the report could not be written to" in result.err
    assert os.path.exists(tmp_path / "x.sarif")  # the other form is not lost
