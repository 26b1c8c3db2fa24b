"""The page about versions says what pyproject.toml accepts, and what these tests run on."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

from building import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PAGE = (ROOT / "docs" / "versions.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([\w-]+) \| (\w+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE)[0:]


def test_the_table_is_complete_and_says_what_is_accepted():
    optional = {k: v for k, v in PROJECT["optional-dependencies"].items() if k not in ("dev", "docs", "all")}
    accepted = [
        (re.match(r"[\w-]+", one)[0], extra, re.search(r">=.*$", one)[0])
        for extra, all_ in optional.items()
        for one in all_
    ]
    assert len(accepted) > 15
    assert sorted(row[:3] for row in ROWS) == sorted(accepted)


def test_these_are_the_versions_that_the_tests_run_on():
    for package, _, least, tested in ROWS:
        found = metadata.version(package)
        assert f"{found}.".startswith(f"{tested}."), f"the page says that {package} is {tested}, and it is {found}"
        assert _numbers(found) >= _numbers(least), package


def test_the_other_libraries():
    names = ["Flax", "Optax", "Equinox", "Stable-Baselines3", "Lightning"]
    line = re.search(rf"\*{', '.join(names)}\*: tests run on (.*)\.\n", PAGE)[1]
    for name, tested in zip(names, re.split(", | and ", line), strict=True):
        assert f"{metadata.version(name)}.".startswith(f"{tested}."), name


def _numbers(version):
    return [int(part) for part in re.findall(r"\d+", version.partition("+")[0])]
