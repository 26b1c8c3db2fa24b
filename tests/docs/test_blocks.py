"""Every block of every page is code that is checked, or output; and what commands it names exist."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shlex
import tomllib

import pytest
from page_blocks import CODE, MARKS, OUTPUT, ROOT, Block, blocks, blocks_of, pages

from whygrad.cli import run_command, runs_command
from whygrad.cli.main import whole_parser

ALL = [block for page in pages() for block in blocks(page)]
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
OF_OTHERS = {"tensorboard", "jupytext", "ssh", "pytest", "cd", "nvidia-smi", "git"}


@pytest.mark.parametrize("block", ALL, ids=str)
def test_block_is_code_or_output(block):
    assert block.language in CODE | OUTPUT, (
        f"{block} is a block of {block.language or 'nothing'}. Give it a language: python, sh, console, json or yaml "
        f"for what is run or parsed, text for output."
    )
    assert set(block.marks) <= set(MARKS), f"{block}: {set(block.marks) - set(MARKS)} is no mark: {MARKS}"
    for mark in ("not run", "slow"):
        assert block.marks.get(mark) != "", f"{block}: say why, <!-- {mark}: … -->"
    if "output" in block.marks or "output of" in block.marks:
        assert block.text.replace("⋮", "").strip(), f"{block}: it has to show something"
    if block.language in ("yaml", "json", "html"):
        assert not {"slow", "raises"} & set(block.marks)
    if block.language == "html":
        assert block.is_skipped, f"{block}: pages are not run here; say what does, <!-- not run: … -->"


@pytest.mark.parametrize("block", [block for block in ALL if block.language == "python"], ids=str)
def test_python_compiles(block):
    compile(block.text, str(block), "exec")


@pytest.mark.parametrize("block", [block for block in ALL if block.language == "json"], ids=str)
def test_json_is_json(block):
    json.loads(block.text)


@pytest.mark.parametrize("block", [block for block in ALL if block.commands()], ids=str)
def test_commands_and_their_options_exist(block):
    for command in block.commands():
        check_command(command, block)


def check_command(command: str, block: Block) -> None:
    """Fails where a command has no such option, target, extra or file."""
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if "|" in words:
        words = words[: words.index("|")]
    words = [word for word in words if word != "&"]
    match words:
        case ["whygrad", *given]:
            check_options(given, block)
        case ["pip", "install", *packages]:
            for package in packages:
                if found := re.search(r"(?:whygrad|^\.)\[(.*)\]", package):
                    assert set(found.group(1).split(",")) <= EXTRAS, f"{block}: {package}"
        case ["make", *targets]:
            assert set(targets) <= TARGETS, f"{block}: no target {set(targets) - TARGETS} in the Makefile"
        case ["python", script, *_] if script.endswith(".py"):
            assert (ROOT / script).is_file(), f"{block}: there is no {script}"
        case [name, *_]:
            assert name in OF_OTHERS, f"{block}: {command!r} is no command that this test knows"


def check_options(given: list[str], block: Block) -> None:
    """Parses a command's options with the real parser."""
    if given[0] == "run":
        given, _ = run_command.split(given)
    elif given[0] == "runs":
        given = runs_command.complete(given)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            _, unknown = whole_parser().parse_known_args(given)
    except SystemExit as end:
        assert not end.code, f"{block}: whygrad {shlex.join(given)}: {said.getvalue()}"
    else:
        assert not unknown, f"{block}: whygrad {shlex.join(given)} has no option {unknown}"


def test_a_bad_option_is_noticed():
    block = Block("a page", 1, "sh", "", {})
    for command in ("whygrad run --jason out.json train.py", "whygrad train dqn --stepz 3", "make cofee", "rm -rf x"):
        with pytest.raises(AssertionError):
            check_command(command, block)
    check_command("whygrad run --json out.json train.py --lr 3", block)


def test_inline_commands_have_real_options():
    """`whygrad run --watch` in a sentence, too."""
    for page in pages():
        text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
        for command in re.findall(r"`(whygrad [a-z]+ [^`]*)`", text):
            options = re.findall(r"(?<=\s)--[a-z-]+", command)
            known = known_options(command.split()[1])
            missing = [option for option in options if option not in known]
            assert not missing, f"{page}: `{command}` has no option {missing}"


def known_options(name: str) -> set[str]:
    """The options of a command and of the commands under it."""
    [commands] = [action for action in whole_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert name in commands.choices, name
    waiting, found = [commands.choices[name]], set()
    while waiting:
        parser = waiting.pop()
        found |= set(parser._option_string_actions)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()
    return found


@pytest.mark.parametrize("lesson", sorted((ROOT / "lessons").glob("[0-9]*.py")), ids=lambda lesson: lesson.stem)
def test_blocks_in_the_text_of_a_lesson_are_output(lesson):
    """Code of a lesson stands in its cells, which run; what its text shows is compared in tests/lessons."""
    comments = [line for line in lesson.read_text().splitlines() if line.startswith("#")]
    prose = "\n".join(line.removeprefix("#").removeprefix(" ") for line in comments)
    assert {block.language for block in blocks_of(lesson.name, prose)} <= OUTPUT


def test_a_block_without_a_language_is_noticed():
    [block] = blocks_of("a page", "text\n```\ncode\n```\n")
    with pytest.raises(AssertionError):
        test_block_is_code_or_output(block)


def test_marks_belong_to_the_block_that_follows():
    text = "<!-- slow: hours -->\n```sh\nmake x\n```\n\n<!-- output -->\n\nwords\n\n```text\nx\n```\n"
    first, second = blocks_of("a page", text)
    assert (first.marks, second.marks) == ({"slow": "hours"}, {})
