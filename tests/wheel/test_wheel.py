"""The wheel: what is in it, and what it says where nothing else is installed."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from building import PROGRAMS, ROOT, Environment, Result, build, unpacked

import whygrad
from whygrad.cli.main import COMMANDS
from whygrad.rules.catalogue import RULES

SOURCE = ROOT / "src"
NEED_NOTHING = {"report", "explain", "rules", "info", "completion"}

ONE_AFTER_THE_OTHER = """
import contextlib, io, json, sys
from whygrad.cli.main import main

def run(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()

print(json.dumps([run(words) for words in json.loads(sys.argv[1])]))
"""
"""Commands in one process, because starting Python takes longer than most of them."""


@pytest.fixture(scope="module")
def files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """Python and whygrad, nothing else."""
    with Environment(tmp_path_factory.mktemp("bare") / "venv") as environment:
        environment.install("--no-deps", "--no-index", str(wheel))
        yield environment


def test_the_wheel_holds_the_package_and_nothing_else(files):
    ours = {
        str(path.relative_to(SOURCE))
        for path in (SOURCE / "whygrad").rglob("*")
        if path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }
    info = f"whygrad-{whygrad.__version__}.dist-info"
    about = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert set(files) == ours | about
    # One of each kind that is no program: a mistake in the settings of the build would leave out all of a kind.
    for name in (
        "py.typed",
        "report/page.css",
        "report/notebook.css",
        "trainings/presets.toml",
        "trainings/recipes.toml",
        "view/page/index.html",
        "view/page/main.js",
        "view/page/style.css",
        "view/page/mark.svg",
    ):
        assert f"whygrad/{name}" in files
    rules = [name for name in files if re.match(r"whygrad/rules/w\d", name)]
    assert {f"whygrad/rules/{rule.code.lower()}" for rule in RULES} == {name.partition("_")[0] for name in rules}


def test_what_the_wheel_says_of_itself(files):
    info = f"whygrad-{whygrad.__version__}.dist-info"
    about = files[f"{info}/METADATA"].decode()
    wants = [line for line in about.splitlines() if line.startswith("Requires-Dist: ")]
    assert len(wants) > 10
    assert all("extra == " in line for line in wants)  # by itself it needs nothing
    assert "License-Expression: Apache-2.0\n" in about
    assert f"Version: {whygrad.__version__}\n" in about
    assert files[f"{info}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert "whygrad = whygrad.cli.main:main" in files[f"{info}/entry_points.txt"].decode()


def test_the_wheel_of_the_sdist_is_the_same(files, tmp_path):
    sdist = build("sdist", ROOT, tmp_path / "sdist")
    source = unpacked(sdist, tmp_path / "unpacked")
    for name in ("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "tests/wheel/test_wheel.py"):
        assert (source / name).is_file(), f"{name} is not in the sdist"
    with zipfile.ZipFile(build("wheel", source, tmp_path / "again")) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files


def test_commands_that_need_nothing(bare, tmp_path):
    assert bare.whygrad(tmp_path, "--version").out == f"whygrad {whygrad.__version__}\n"
    rules, page, shell = commands(bare, tmp_path, ["rules"], ["explain", "W104"], ["completion", "bash"])
    assert all((done.status, done.err) == (0, "") for done in (rules, page, shell))
    assert all(rule.code in rules.out for rule in RULES)
    assert page.out.startswith("W104")
    assert shell.out.endswith("complete -F _whygrad whygrad\n")


def test_info_where_nothing_is_installed(bare, tmp_path):
    text, data = commands(bare, tmp_path, ["info"], ["info", "--json", "--devices"])
    assert (text.status, text.err) == (0, "")
    assert "packages    none\n" in text.out
    found = json.loads(data.out)
    assert (found["packages"], found["keras_backend"], found["train_backend"], found["devices"]) == ({}, None, None, {})
    assert {"torch", "tensorflow", "jax", "rl", "onnx", "watch", "plot"} <= set(found["extras"])
    assert not {"dev", "docs", "all"} & set(found["extras"])
    assert all(found["extras"].values())


def commands(environment, folder, *lines: list[str]) -> list[Result]:
    done = environment.python(folder, "-c", ONE_AFTER_THE_OTHER, json.dumps(lines))
    assert (done.status, done.err) == (0, "")
    return [Result(*one) for one in json.loads(done.out)]


def test_every_command_has_its_help(bare, tmp_path):
    names = [command.NAME for command in COMMANDS]
    for name, done in zip(names, commands(bare, tmp_path, *([name, "--help"] for name in names)), strict=True):
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"usage: whygrad {name}")


def test_a_command_says_which_extra_it_needs(bare, tmp_path):
    (tmp_path / "runs").mkdir()
    wants = {
        "train dqn --env CartPole-v1": "rl",
        "evaluate runs/a": "rl",
        "play runs/a": "rl",
        "probe dqn": "rl",
        "collect --random --env CartPole-v1 --steps 9 --out a.npz": "rl",
        "export runs/a --to onnx": "rl",
        "import model.json": "rl",
        "sweep dqn --env CartPole-v1 --over seed=1..2": "ray",
        "runs": "watch",
        "runs compare a b": "watch",
        "runs clean --empty": "watch",
        "view": "watch",
        "plot runs/a": "plot",
        f"run --watch {PROGRAMS / 'broken_torch.py'}": "watch",
    }
    assert {words.split()[0] for words in wants} == {command.NAME for command in COMMANDS} - NEED_NOTHING
    answers = commands(bare, tmp_path, *map(str.split, wants))
    for (words, extra), done in zip(wants.items(), answers, strict=True):
        assert (done.status, done.out) == (2, ""), words
        assert f"pip install 'whygrad[{extra}]'" in done.err, words
        assert done.err.count("\n") == 1


def test_a_program_says_which_extra_it_needs(bare, tmp_path):
    agents = bare.python(tmp_path, "-c", "from whygrad.rl import DQN")
    assert "pip install 'whygrad[rl]'" in agents.err.splitlines()[-1]
    watch = bare.python(tmp_path, "-c", "import whygrad; whygrad.watch")
    assert "pip install 'whygrad[watch]'" in watch.err.splitlines()[-1]


def test_a_script_runs_where_no_framework_is(bare, tmp_path):
    (tmp_path / "plain.py").write_text("print('done')\n")
    done = bare.whygrad(tmp_path, "run", "plain.py")
    assert (done.status, done.out) == (0, "done\n")
    assert "neither PyTorch, TensorFlow nor JAX is installed" in done.err
    assert all(f"'whygrad[{name}]'" in " ".join(done.err.split()) for name in ("torch", "tensorflow", "jax"))
