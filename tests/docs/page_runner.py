"""Runs the blocks of one page in order, in the folder it is started in: `python page_runner.py PAGE`.

Blocks of Python share one namespace; `before.py`, where the page's setup has one, fills it first. Commands run in a
shell. What happened goes to `outcomes.json`.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from page_blocks import Block, blocks

SLOW = os.environ.get("WHYGRAD_SLOW_DOCS") == "1"


def run_page(page: str) -> list[dict[str, Any]]:
    """Run it and say what became of each block."""
    sys.path[0] = os.getcwd()
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path("before.py")
    if before.exists():
        exec(compile(before.read_text(), str(before.resolve()), "exec"), names)
    outcomes = []
    for block in blocks(page):
        if block.is_skipped or ("slow" in block.marks and not SLOW):
            continue
        if "file" in block.marks:
            path = Path(block.marks["file"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            outcomes.append(_python(block, names))
        elif block.language in ("sh", "console"):
            outcomes.append(_commands(block, block.commands()))
        elif "output of" in block.marks:
            outcomes.append(_commands(block, [block.marks["output of"]]))
    return outcomes


def _python(block: Block, names: dict[str, Any]) -> dict[str, Any]:
    said, wrong = io.StringIO(), ""
    file = f"{Path(block.page).stem}_{block.line}.py"
    linecache.cache[file] = (len(block.text), None, block.text.splitlines(keepends=True), file)
    with contextlib.redirect_stdout(said):
        try:
            exec(compile(block.text, file, "exec", dont_inherit=True), names)
        except BaseException as error:
            said.write(f"{type(error).__module__}.{type(error).__name__}: {error}\n")
            if type(error).__name__ != block.marks.get("raises"):
                wrong = traceback.format_exc()
        else:
            if "raises" in block.marks:
                wrong = f"raised nothing; {block.marks['raises']} was expected"
    return {"line": block.line, "output": said.getvalue(), "wrong": wrong}


def _commands(block: Block, commands: list[str]) -> dict[str, Any]:
    output, wrong = "", ""
    wanted = int(block.marks.get("status", 0))
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900
        )
        output += done.stdout
        if done.returncode != wanted and "output of" not in block.marks:
            wrong += f"{command!r} ended with {done.returncode}, expected {wanted}:\n{done.stdout[-3000:]}"
    return {"line": block.line, "output": output, "wrong": wrong}


if __name__ == "__main__":
    Path("outcomes.json").write_text(json.dumps(run_page(sys.argv[1])))
    os._exit(0)  # threads of a framework or a watch that is still open are not waited for
