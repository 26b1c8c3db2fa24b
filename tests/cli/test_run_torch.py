"""`whygrad run` on small PyTorch programs."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from cli_runs import execute, python, same_but_for_the_report, whygrad, write

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

HEAD = """
import torch, sys
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
def step(cut=False):
    opt.zero_grad()
    out = net(torch.ones(1, 2))
    loss = (out.detach() if cut else out).sum()
    loss.backward()
    opt.step()
    return loss.item()
"""

HEALTHY = HEAD + "for i in range(10):\n    print(i, step())\n"
CUT = HEAD + "step(cut=True)\n"

FINDING = {
    "code", "rule", "severity", "message", "why", "fix", "variables", "where", "loss", "path", "first_update", "seen",
}  # fmt: skip


def test_a_gradient_error_in_a_cold_start(tmp_path):
    """As a user has it: torch is imported by the script, and the finding stands right after the traceback."""
    write(tmp_path, train=CUT)
    plain, watched = python(tmp_path, "train.py"), whygrad(tmp_path, "run", "--json", "x.json", "train.py")
    report = same_but_for_the_report(plain, watched)
    assert report.startswith("\nerror[W102] stopped: `net` (2 variables) gets no gradient")
    assert report.endswith("1 error in train.py (before the first update, torch)\n")
    written = json.loads((tmp_path / "x.json").read_text())
    assert written["frameworks"] == ["torch"]
    assert written["script_error"].startswith("RuntimeError: element 0 of tensors")
    [finding] = written["findings"]
    assert set(finding) >= FINDING
    assert set(finding["where"]) >= {"file", "line", "column", "end_column", "function", "code"}
    assert set(finding["loss"]) >= {"file", "line"}
    assert finding["path"]
    assert all(set(part) >= {"file", "line", "op", "role"} for part in finding["path"])
    assert finding["variables"] == ["net.weight", "net.bias"]


@pytest.mark.parametrize(
    ("options", "status"), [([], 1), (["--fail-on", "error"], 3), (["--fail-on=warning", "--quiet"], 3)]
)
def test_exit_status_with_findings(warm, tmp_path, options, status):
    write(tmp_path, train=CUT)
    result = warm.whygrad(tmp_path, "run", *options, "train.py")
    assert result.status == status
    if "--quiet" in options:
        assert "\ntrain.py:11:13: error[W102] `net`" in result.err


def test_a_healthy_program(warm, tmp_path):
    write(tmp_path, train=HEALTHY)
    plain = warm.python(tmp_path, "train.py")
    watched = warm.whygrad(tmp_path, "run", "--fail-on", "warning", "train.py")
    report = same_but_for_the_report(plain, watched)
    assert report == "no gradient faults found in train.py (10 updates seen, torch)\n"


TRACEBACKS = {
    "functional": "F.cross_entropy(net(torch.ones(1, 2)), torch.zeros(3))\n",
    "method": "torch.ones(2).view(3)\n",
    "module": "nn.Sequential(net, nn.Softmax(1))(torch.ones(1, 3))\n",
    "operator": "torch.ones(2) @ torch.ones(3)\n",
    "backward": "x = net(torch.ones(1, 2)).sum()\nx.backward()\nx.backward()\n",
    "optimizer": "torch.optim.SGD([], 0.1)\n",
    "closure": "def f():\n    return 1 / 0\nopt.step(f)\n",
    "function": "class G(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return 1 / 0\nG.apply(torch.ones(1))\n",
    "cause": "try:\n    torch.ones(2).view(3)\nexcept RuntimeError as e:\n    raise ValueError('wrapped') from e\n",
    "no_grad": "with torch.no_grad():\n    torch.ones(2).view(3)\n",
    "inference": "@torch.inference_mode()\ndef f():\n    torch.ones(2).view(3)\nf()\n",
    "thread": "import threading\nt = threading.Thread(target=F.mse_loss, args=(net, 2))\nt.start()\nt.join()\n",
}


@pytest.mark.parametrize("name", TRACEBACKS)
def test_tracebacks_out_of_torch_calls(warm, tmp_path, name):
    write(tmp_path, train=HEAD + TRACEBACKS[name])
    plain, watched = warm.python(tmp_path, "train.py"), warm.whygrad(tmp_path, "run", "train.py")
    assert plain.err.startswith(("Traceback", "Exception in thread"))
    same_but_for_the_report(plain, watched)


WARNINGS = """
import warnings
x = torch.ones(3, 3, requires_grad=True)
F.softmax(x)
F.softmax(x)
nn.Softmax()(x)
for i in range(2):
    torch.ones(2, 3, 4).T
y = x * 2
y.grad; y.grad
y.grad
F.mse_loss(torch.ones(3, 1), torch.ones(3))
warnings.simplefilter("always")
for i in range(2):
    y.grad
torch.tensor(x)
torch.optim.lr_scheduler.StepLR(opt, 1).step()
"""


def test_warnings_name_the_programs_lines(warm, tmp_path):
    write(tmp_path, train=HEAD + WARNINGS)
    plain, watched = warm.python(tmp_path, "train.py"), warm.whygrad(tmp_path, "run", "train.py")
    assert plain.err.count("Warning: ") > 7
    assert "train.py" in plain.err
    same_but_for_the_report(plain, watched)


def test_a_warning_that_is_recorded_or_raised(warm, tmp_path):
    more = """
import warnings
with warnings.catch_warnings(record=True) as found:
    F.softmax(torch.ones(3))
    (net.weight * 2).grad
print([(w.filename, w.lineno) for w in found])
warnings.simplefilter("error")
F.softmax(torch.ones(3))
"""
    write(tmp_path, train=HEAD + more)
    plain, watched = warm.python(tmp_path, "train.py"), warm.whygrad(tmp_path, "run", "train.py")
    assert plain.out.count("train.py") == 2
    same_but_for_the_report(plain, watched)


# --- --updates ----------------------------------------------------------------------------------------------------

STOPS = {
    "loop": "while True:\n    step()\n",
    "finally": "try:\n    while True:\n        step()\nfinally:\n    print('cleaned up')\n",
    "exception": "while True:\n    try:\n        step()\n    except Exception:\n        print('swallowed')\n",
    "wrapped": "try:\n    while True:\n        step()\nexcept BaseException as e:\n    raise ValueError('x') from e\n",
    "fails_while_ending": "try:\n    while True:\n        step()\nfinally:\n    1 / 0\n",
    "atexit": "import atexit\natexit.register(print, 'cleaned up')\nwhile True:\n    step()\n",
    "pool": "from concurrent.futures import ThreadPoolExecutor\ndef f():\n    while True:\n        step()\n"
    "ThreadPoolExecutor(1).submit(f).result()\n",
    "thread": "import threading, queue\ndef f():\n    while True:\n        step()\n"
    "try:\n    threading.Thread(target=f).start()\n    queue.Queue().get()\nfinally:\n    print('cleaned up')\n",
    "unjoined": "import threading\ndef f():\n    while True:\n        step()\nthreading.Thread(target=f).start()\n",
    "another_thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
    "while True:\n    step()\n",
    "asyncio": "import asyncio\nasync def f():\n    while True:\n        step()\n        await asyncio.sleep(0)\n"
    "asyncio.run(f())\n",
}


@pytest.mark.parametrize("name", STOPS)
def test_stopping_after_so_many_updates(warm, tmp_path, name):
    write(tmp_path, train=HEAD + STOPS[name])
    result = warm.whygrad(tmp_path, "run", "--updates", "3", "train.py")
    assert result.status == 0, result.err
    assert result.err == "no gradient faults found in train.py (3 updates seen, torch)\n"
    assert result.out == ("cleaned up\n" if "cleaned up" in STOPS[name] else "")


def test_a_program_that_will_not_stop(warm, tmp_path):
    body = "while True:\n    try:\n        step()\n    except:\n        print('no')\n"
    write(tmp_path, train=HEAD + "import atexit\natexit.register(print, 'at exit')\n" + body)
    result = warm.whygrad(tmp_path, "run", "--updates", "2", "train.py")
    assert result.status == 0
    assert result.out == "no\n" * 10 + "at exit\n"
    assert "the script catches BaseException" in result.err
    assert "(2 updates seen, torch)" in result.err


def test_a_thread_that_will_not_stop(warm, tmp_path):
    body = "def f():\n    while True:\n        try:\n            step()\n        except:\n            pass\n"
    body += "import threading, atexit\natexit.register(print, 'at exit')\nthreading.Thread(target=f).start()\n"
    write(tmp_path, train=HEAD + body)
    result = warm.whygrad(tmp_path, "run", "--updates", "2", "train.py")
    assert (result.status, result.out) == (0, "at exit\n")
    assert result.err == "no gradient faults found in train.py (2 updates seen, torch)\n"


def test_fewer_updates_than_asked_for(warm, tmp_path):
    write(tmp_path, train=HEALTHY)
    result = warm.whygrad(tmp_path, "run", "--updates", "50", "train.py")
    assert (result.status, result.err) == (0, "no gradient faults found in train.py (10 updates seen, torch)\n")


def test_forked_children_are_not_counted_or_stopped(warm, tmp_path):
    fork = """
import os
step()
if os.fork() == 0:
    for i in range(5):
        step()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    write(tmp_path, train=HEAD + fork)
    result = warm.whygrad(tmp_path, "run", "--updates", "3", "train.py")
    assert (result.status, result.out) == (0, "0\n")
    assert result.err == "no gradient faults found in train.py (1 update seen, torch)\n"


def test_data_loader_workers(warm, tmp_path):
    loader = """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return torch.full((2,), float(i))
if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=1):
        opt.zero_grad()
        net(batch).sum().backward()
        opt.step()
        print(batch.tolist())
"""
    write(tmp_path, train=HEAD + loader)
    plain, watched = warm.python(tmp_path, "train.py"), warm.whygrad(tmp_path, "run", "train.py")
    report = same_but_for_the_report(plain, watched)
    assert report == "no gradient faults found in train.py (2 updates seen, torch)\n"


# --- what was not seen --------------------------------------------------------------------------------------------


def test_a_failure_after_tracing_has_let_go(warm, tmp_path):
    late = "for i in range(9):\n    step()\nraise RuntimeError('a variable needed for gradient computation')\n"
    write(tmp_path, train=HEAD + late)
    result = warm.whygrad(tmp_path, "run", "--json", "x.json", "train.py")
    [note] = json.loads((tmp_path / "x.json").read_text())["notes"]
    assert note == (
        "tracing had ended after 4 updates when the script failed in update 10; run again with --updates 10 to trace "
        "every update up to the failure"
    )
    assert result.status == 1
    other = late.replace("gradient computation", "an upgrade")
    write(tmp_path, train=HEAD + other)
    assert "tracing had ended" not in warm.whygrad(tmp_path, "run", "train.py").err
    write(tmp_path, train=HEAD + late.replace("range(9)", "range(70)"))
    assert "whygrad.record()" in warm.whygrad(tmp_path, "run", "train.py").err
    write(tmp_path, train=HEAD + "for i in range(9):\n    step()\nstep(cut=True)\n")
    # What the last updates did is still held, so a backward pass that fails is explained at once.
    assert "error[W102]" in warm.whygrad(tmp_path, "run", "train.py").err


def test_programs_that_train_nothing(warm, tmp_path):
    write(tmp_path, imports="import torch\n", computes="import torch\nprint(torch.ones(2).sum())\n")
    for script in ("imports.py", "computes.py"):
        result = warm.whygrad(tmp_path, "run", script)
        assert result.status == 0
        assert f"nothing was trained: no optimizer step was seen in {script} (torch)" in result.err


def test_recording_inside_a_recorded_script(warm, tmp_path):
    write(tmp_path, train=HEAD + "import whygrad\nprint(whygrad.explain(step, cut=False).notes)\nstep()\n")
    result = warm.whygrad(tmp_path, "run", "train.py")
    assert "its report, at the end, covers this block too" in result.out
    assert "(2 updates seen, torch)" in result.err


def test_the_installed_command_is_no_part_of_the_program(tmp_path):
    """Two networks that are made line by line share no frame but the one of the file that a shell starts."""
    write(tmp_path, apart=APART)
    command = [str(Path(sys.executable).with_name("whygrad")), "run", "--json", "report.json", "apart.py"]
    done = execute(command, tmp_path)
    assert done.status == 1, done.err
    [finding] = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert finding["code"] == "W203"
    assert {Path(step["file"]).name for step in finding["path"]} == {"apart.py"}


APART = """
import torch
from torch import nn

class Both(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts = list(parts)

policy = nn.Linear(3, 2)
value = nn.Linear(3, 1)
both = Both(policy, value)
optimizer = torch.optim.Adam(both.parameters())
"""
