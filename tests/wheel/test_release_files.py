"""Files that are for other programs: whoever reads them must be able to."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml
from building import ROOT

import whygrad

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    # What version 1.2.0 of the format demands.
    assert found["cff-version"] == "1.2.0"
    assert found["message"] and found["title"] and found["type"] == "software"
    assert found["authors"] == [{"name": "The whygrad authors"}]
    assert found["license"] == PROJECT["license"]
    assert found["version"] == whygrad.__version__ == PROJECT["version"]


def test_there_are_forms():
    assert {form.name for form in FORMS} == {"bug_report.yml", "rule_request.yml", "config.yml"}


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "config.yml"], ids=lambda form: form.stem)
def test_a_form_has_what_github_demands(form):
    found = yaml.safe_load(form.read_text("utf-8"))
    assert found["name"] and found["description"]
    ids = [part["id"] for part in found["body"]]
    assert len(set(ids)) == len(ids)
    for part in found["body"]:
        assert part["type"] in ("dropdown", "textarea", "input", "markdown", "checkboxes")
        assert re.fullmatch(r"[\w-]+", part["id"])
        assert part["attributes"]["label"]
        if part["type"] == "dropdown":
            options = part["attributes"]["options"]
            assert all(isinstance(option, str) for option in options)
            assert len(set(options)) == len(options) > 1


def test_a_report_of_a_fault_asks_for_what_it_needs():
    found = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "bug_report.yml").read_text("utf-8"))
    parts = {part["id"]: part for part in found["body"]}
    assert "whygrad run --json" in parts["report"]["attributes"]["description"]
    assert "whygrad info" in parts["info"]["attributes"]["label"]
    assert parts["info"]["validations"]["required"] is True
