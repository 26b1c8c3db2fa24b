"""The commands that run nothing: explain, rules, --help, --version."""

from __future__ import annotations

import json

import pytest
from cli_runs import whygrad

from whygrad.rules.catalogue import RULES


@pytest.mark.parametrize("word", ["W104", "w104", "not-differentiable"])
def test_explain(tmp_path, word):
    result = whygrad(tmp_path, "explain", word)
    assert (result.status, result.err) == (0, "")
    assert "W104" in result.out
    assert "argmax" in result.out


@pytest.mark.parametrize(("word", "hint"), [("w14", "Did you mean W104?"), ("", ""), ("not-diferentiable", "not-diff")])
def test_explain_what_is_not_there(tmp_path, word, hint):
    result = whygrad(tmp_path, "explain", word)
    assert (result.status, result.out) == (2, "")
    assert f"there is no rule {word!r}" in result.err
    assert hint in result.err
    assert result.err.count("\n") == 1


def test_every_page_on_a_plain_terminal(tmp_path):
    for rule in RULES[:3]:
        result = whygrad(tmp_path, "explain", rule.code, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert result.status == 0
        assert result.out.isascii()


def test_rules(tmp_path):
    result = whygrad(tmp_path, "rules", COLUMNS="80")
    assert result.status == 0
    assert all(f"{rule.code}  {rule.name} " in result.out for rule in RULES)
    assert all(len(line) <= 80 for line in result.out.splitlines())
    listed = json.loads(whygrad(tmp_path, "rules", "--json").out)
    assert [set(rule) for rule in listed] == [{"code", "rule", "summary"}] * len(RULES)


def test_version(tmp_path):
    import whygrad as package

    assert whygrad(tmp_path, "--version").out == f"whygrad {package.__version__}\n"


@pytest.mark.parametrize("command", [[], ["run"], ["report"], ["explain"], ["rules"]])
def test_help_fits_80_columns(tmp_path, command):
    result = whygrad(tmp_path, *command, "--help", COLUMNS="80")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(" ".join(["usage: whygrad", *command]))
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_a_command_that_is_not_there(tmp_path):
    assert "write: whygrad run train.py --lr 1" in whygrad(tmp_path, "train.py", "--lr", "1").err
    assert "The commands are run, report, explain, rules" in whygrad(tmp_path, "bogus").err
    nothing = whygrad(tmp_path)
    assert (nothing.status, nothing.out) == (2, "")
    assert nothing.err.startswith("usage: whygrad")
