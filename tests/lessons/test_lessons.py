"""Every lesson opens as a notebook, runs in a process of its own, and prints the numbers that its text tells."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "lessons").glob("[0-9]*.py"))
SECONDS = 240  # a busy machine included
CELL = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)

lesson_by_name = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)


@cache
def run(lesson: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The lesson as `python lessons/…` runs it, from another folder and without a display."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT / "src"), "WHYGRAD_LESSONS_OUT": str(folder / "pictures"),
        "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu",
    }  # fmt: skip
    environment.pop("KERAS_BACKEND", None)
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [sys.executable, str(lesson)], capture_output=True, text=True, env=environment, cwd=folder, timeout=SECONDS
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("lessons")


def cells(lesson: Path) -> list[tuple[bool, str]]:
    """(is it text, its content) of every cell; the header before the first is left out."""
    parts = CELL.split(lesson.read_text())
    return [(bool(kind), body.strip()) for kind, body in zip(parts[1::2], parts[2::2], strict=True)]


def prose(lesson: Path) -> str:
    """What a reader reads, without the code."""
    texts = [body for text, body in cells(lesson) if text]
    return "\n\n".join(re.sub(r"^# ?", "", body, flags=re.MULTILINE) for body in texts)


def printed_blocks(text: str) -> list[str]:
    """What the text shows as output: blocks fenced as `text`."""
    return re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@lesson_by_name
@pytest.mark.timeout(SECONDS + 30)
def test_lesson_runs(lesson, folder):
    done = run(lesson, folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert "Traceback" not in done.stderr


@lesson_by_name
@pytest.mark.timeout(SECONDS + 30)
def test_what_the_text_shows_as_output_is_printed(lesson, folder):
    printed = [line.rstrip() for line in run(lesson, folder).stdout.splitlines()]
    for block in printed_blocks(prose(lesson)):
        wanted = block.rstrip().splitlines()
        assert any(printed[i : i + len(wanted)] == wanted for i in range(len(printed))), block


@lesson_by_name
@pytest.mark.timeout(SECONDS + 30)
def test_every_number_of_the_text_is_computed_or_asserted(lesson, folder):
    """0.69 in a sentence is also in the output, or in the code (where an assert holds it)."""
    code = "\n".join(body for is_text, body in cells(lesson) if not is_text)
    seen = set(re.findall(r"\d+\.\d+", code + run(lesson, folder).stdout))
    told = set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", prose(lesson)))
    assert told <= seen, sorted(told - seen)


@lesson_by_name
def test_lesson_opens_as_a_notebook(lesson):
    text = lesson.read_text()
    assert text.startswith("# ---\n# jupyter:\n#   jupytext:\n")
    kinds = cells(lesson)
    assert kinds[0][0] and kinds[0][1].startswith(f"# # Lesson {int(lesson.stem[:2])}: ")
    for is_text, body in kinds:
        assert body
        if is_text:
            assert all(line.startswith("#") for line in body.splitlines()), body
        else:
            ast.parse(body)


@lesson_by_name
def test_lesson_is_short_and_checks_what_it_says(lesson):
    words = len(prose(lesson).split())
    assert words < 1_500, f"{words} words are more than ten minutes"
    asserts = [node for node in ast.walk(ast.parse(lesson.read_text())) if isinstance(node, ast.Assert)]
    assert len(asserts) >= 10


@lesson_by_name
def test_every_claim_of_a_code_is_asserted(lesson):
    """A code (W102) that the text explains under a heading is asserted in the code, or printed."""
    headings = re.findall(r"^## .*?(W\d{3})", prose(lesson), re.MULTILINE)
    code = "\n".join(body for is_text, body in cells(lesson) if not is_text)
    for heading in headings:
        assert f'["{heading}"]' in code, heading


@pytest.mark.timeout(SECONDS + 30)
def test_pictures_are_written(folder):
    pytest.importorskip("matplotlib")
    [lesson] = [lesson for lesson in LESSONS if lesson.stem.startswith("01_")]
    assert run(lesson, folder).returncode == 0
    pictures = sorted(path.name for path in (folder / "pictures").iterdir())
    assert pictures == ["lesson_1_fixed_data.png", "lesson_1_new_data_in_every_step.png"]


@pytest.mark.timeout(SECONDS + 30)
@pytest.mark.filterwarnings("ignore")  # of the libraries that run notebooks
def test_a_lesson_runs_as_a_notebook():
    """The one that looks for files beside it, in the folder where Jupyter would start it."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    [lesson] = [lesson for lesson in LESSONS if lesson.stem.startswith("03_")]
    make = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    notebook = nbformat.v4.new_notebook(cells=[make[is_text](body) for is_text, body in cells(lesson)])
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, resources={"metadata": {"path": str(ROOT / "lessons")}}, kernel_name="python3"
    )
    client.execute()  # a failed cell raises
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("error[W101]" in output.get("text", "") for output in shown)


def test_index_names_every_lesson():
    index = (ROOT / "lessons" / "README.md").read_text()
    assert re.findall(r"\]\((\d\d_\w+\.py)\)", index) == [lesson.name for lesson in LESSONS]
