"""Every page's blocks run in order, in a process and a folder of their own, and print what the page says they print."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from page_blocks import ROOT, Block, blocks, pages

SETUPS = Path(__file__).parent / "setups"
SLOW = os.environ.get("WHYGRAD_SLOW_DOCS") == "1"
SECONDS = 3600 if SLOW else 600  # on a machine that does other things, too


def needs_running(block: Block) -> bool:
    """Whether a test has to run something for this block."""
    if block.is_skipped or ("slow" in block.marks and not SLOW):
        return False
    return block.language in ("python", "sh", "console") or "output of" in block.marks


PAGES = [page for page in pages() if any(map(needs_running, blocks(page)))]


def environment() -> dict[str, str]:
    """That of a person with one framework chosen, whose `whygrad` is the one that is tested."""
    chosen = {"KERAS_BACKEND": "torch", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "COLUMNS": "80"}
    known = {**os.environ, **chosen, "OMP_NUM_THREADS": "1"}  # two pages run side by side
    known["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{known['PATH']}"
    known["PYTHONPATH"] = str(ROOT / "src")
    return {name: value for name, value in known.items() if name not in ("DISPLAY", "NO_COLOR", "FORCE_COLOR")}


def make_runs(folder: Path) -> Path:
    """A run of an agent and one of a watch, as they lie about after a day's work; pages get copies."""
    made = folder / "made"
    made.mkdir()
    for command in (
        "whygrad train dqn --env CartPole-v1 --steps 600 --evaluate-episodes 2 --quiet",
        "whygrad run --quiet --watch watched.py",
    ):
        shutil.copy(SETUPS / "watched.py", made)
        done = subprocess.run(
            ["bash", "-c", command], cwd=made, env=environment(), capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return made / "runs"


def run_page(page: str, folder: Path, runs: Future[Path]) -> list[dict[str, Any]]:
    """The outcomes of a page's blocks."""
    name = page.removesuffix(".md").replace("/", "-")
    here = folder / name
    setup = SETUPS / name
    shutil.copytree(setup, here) if setup.is_dir() else here.mkdir()
    (here / "examples").symlink_to(ROOT / "examples")
    needs = here / "needs.json"
    if needs.exists():  # {"runs/ppo-1": "dqn-CartPole-v1-0-1"}
        for place, run in json.loads(needs.read_text()).items():
            shutil.copytree(runs.result() / run, here / place)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("page_runner.py")), page],
        cwd=here, env=environment(), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    outcomes = here / "outcomes.json"
    assert outcomes.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(outcomes.read_text())


@pytest.fixture(scope="session")
def begun(request, tmp_path_factory) -> dict[str, Future[list[dict[str, Any]]]]:
    """All pages that this session asks for, two at a time."""
    folder = tmp_path_factory.mktemp("pages")
    asked = [item for item in request.session.items if "begun" in getattr(item, "fixturenames", ())]
    chosen = [item.callspec.params["page"] for item in asked]  # other tests know pages, too, and run none
    pool = ThreadPoolExecutor(2)
    runs = pool.submit(make_runs, folder)
    return {page: pool.submit(run_page, page, folder, runs) for page in chosen}


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_a_page_run_and_print_what_it_says(page, begun):
    outcomes = {outcome["line"]: outcome for outcome in begun[page].result()}
    wrong = [f"{page}:{line}\n{outcome['wrong']}" for line, outcome in outcomes.items() if outcome["wrong"]]
    assert not wrong, "\n".join(wrong)
    last = ""
    for block in blocks(page):
        if "output" in block.marks or "output of" in block.marks:
            printed = outcomes[block.line]["output"] if "output of" in block.marks else last
            if printed is not None:
                assert shows(block.text, printed), f"{block} shows\n{block.text}\nand was printed:\n{printed}"
        if block.language in ("python", "sh", "console") and "file" not in block.marks:
            last = outcomes[block.line]["output"] if block.line in outcomes else None


def shows(shown: str, printed: str) -> bool:
    """Whether the lines of a block are in the output, one after the other; `⋮` stands for any lines, `$ …` is typed."""
    wanted = [line.rstrip() for line in shown.strip("\n").splitlines() if not line.startswith("$ ")]
    parts: list[list[str]] = [[]]
    for line in wanted:
        if line.strip() == "⋮":
            parts.append([])
        else:
            parts[-1].append(line)
    lines = [line.rstrip() for line in printed.splitlines()]
    at = 0
    for part in (part for part in parts if part):
        while lines[at : at + len(part)] != part:
            at += 1
            if at > len(lines):
                return False
        at += len(part)
    return True


@pytest.mark.parametrize(
    ("shown", "printed", "is_shown"),
    [
        ("a\nb\n", "x\na\nb\ny\n", True),
        ("$ cat\na\n⋮\nb\n", "a\nx\nb\n", True),
        ("a\nb\n", "a\nx\nb\n", False),
        ("b\n⋮\na\n", "a\nb\n", False),
    ],
)
def test_what_counts_as_shown(shown, printed, is_shown):
    assert shows(shown, printed) == is_shown
