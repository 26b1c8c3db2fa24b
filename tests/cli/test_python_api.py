"""`whygrad.explain` and `whygrad.record` in programs of their own."""

from __future__ import annotations

import inspect
import re
import textwrap

import pytest
from cli_runs import python, write
from test_run_torch import HEAD as TRAINING

import whygrad

HEAD = TRAINING + "import whygrad\n"


def test_explain_and_record_again_and_again(warm, tmp_path):
    body = """
for i in range(3):
    report = whygrad.explain(step, cut=True)
    print([f.code for f in report.findings], report.updates, report.script_error[:12], report.script == __file__)
    report = whygrad.explain(step)
    print(report.clean, report.updates, report.frameworks)
run = whygrad.record()
for i in range(2):
    with run as same:
        step()
        step()
    print(same is run, run.report.updates, run.report.script == __file__)
print(run.report)
"""
    write(tmp_path, use=HEAD + body)
    result = warm.python(tmp_path, "use.py")
    assert result.err == ""
    assert result.out.splitlines() == [
        *["['W102'] 0 RuntimeError True", "True 1 ('torch',)"] * 3,
        *["True 2 True"] * 2,
        "no gradient faults found in use.py (2 updates seen, torch)",
    ]


def test_an_error_gets_the_findings_as_a_note(warm, tmp_path):
    write(tmp_path, use=HEAD + "with whygrad.record() as run:\n    step(cut=True)\n")
    result = warm.python(tmp_path, "use.py")
    assert result.status == 1
    error = result.err.index("RuntimeError: element 0 of tensors does not require grad")
    assert result.err.index("error[W102] stopped: `net`") > error
    write(tmp_path, use=HEAD + "with whygrad.record() as run:\n    step()\n    1 / 0\n")
    assert warm.python(tmp_path, "use.py").err.endswith("ZeroDivisionError: division by zero\n")


def test_recording_inside_recording(warm, tmp_path):
    body = """
with whygrad.record() as outer:
    try:
        whygrad.explain(step)
    except RuntimeError as error:
        print(error)
    step()
print(outer.report.updates, outer.report.notes)
with whygrad.record() as after:
    step()
print(after.report.updates)
"""
    write(tmp_path, use=HEAD + body)
    first, *rest = warm.python(tmp_path, "use.py").out.splitlines()
    assert first.startswith("whygrad is recording already: leave the other")
    assert rest == ["1 ()", "1"]


def test_wrong_use_and_interrupts(warm, tmp_path):
    body = """
try:
    whygrad.explain(step())
except TypeError as error:
    print(error)
def stop():
    raise KeyboardInterrupt
try:
    whygrad.explain(stop)
except KeyboardInterrupt:
    print("interrupted")
print(whygrad.explain(step).updates)
print(whygrad.explain(step, 1, 2, 3).script_error)
"""
    write(tmp_path, use=HEAD + body)
    lines = warm.python(tmp_path, "use.py").out.splitlines()
    assert lines[0].endswith("and got float: perhaps the result of step(batch)")
    assert lines[1:3] == ["interrupted", "1"]
    assert lines[3].startswith("TypeError: step() takes from 0 to 1")


def test_nothing_remains(warm, tmp_path):
    """Every class and module that the recorder changes is as before: also after an error, and for threads."""
    body = """
import threading, warnings, os, signal, gc, weakref
from torch.optim import optimizer
places = [torch, torch.Tensor, nn.Module, nn.Parameter, torch.optim.Optimizer, torch.optim.SGD, torch.optim.Adam,
          torch.autograd, torch.autograd.Function, torch.autograd.function, torch.nn.functional, torch.overrides,
          torch.distributions.Distribution, torch.utils.data.DataLoader, torch.compiler, torch.nn.utils,
          torch.autograd.grad_mode, torch.amp, torch.func, torch.utils.checkpoint, torch._C,
          threading, threading.Thread, warnings, os, signal, __import__("builtins"), sys.modules["copy"]]
def state():
    found = {(p.__name__, k): v for p in places for k, v in list(vars(p).items())}
    found["hooks"] = [list(optimizer._global_optimizer_pre_hooks), list(optimizer._global_optimizer_post_hooks)]
    found["modes"] = torch.overrides._get_current_function_mode_stack()
    found["meta_path"], found["excepthook"] = list(sys.meta_path), sys.excepthook
    found["instance"] = sorted(vars(net)), sorted(vars(opt)), [sorted(vars(p)) for p in net.parameters()]
    return found
def forget(found):
    return {k: v for k, v in found.items() if not (isinstance(k, tuple) and k[1] in ("__warningregistry__",))}
whygrad.explain(step)  # what torch itself sets up on first use
before = forget(state())
whygrad.explain(step)
whygrad.explain(step, cut=True)
t = threading.Thread(target=step)
with whygrad.record():
    t.start()
    t.join()
after = forget(state())
print(sorted(map(str, before.keys() ^ after.keys())))
print([k for k in before if before[k] is not after.get(k) and before[k] != after.get(k)])
run = whygrad.record()
with run:
    step()
session = weakref.ref(run)
del run
gc.collect()
print(session())
"""
    write(tmp_path, use=HEAD + body)
    result = warm.python(tmp_path, "use.py")
    assert result.out.splitlines() == ["[]", "[]", "None"], result


def test_printing_a_report_where_there_is_only_ascii(tmp_path):
    write(
        tmp_path,
        use="""
from whygrad import Finding, Report
from whygrad.flow.site import Site
site = Site(file=__file__, line=3, column=0, end_line=3, end_column=4, function="f", own=True)
finding = Finding("W104", "not-differentiable", "error", "grün → ∇", "wär’s", "–", ("ä",), site, "hier …")
print(Report(__file__, ("torch",), 1, (finding,)))
""",
    )
    result = python(tmp_path, "use.py", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (result.status, result.err) == (0, "")
    assert "error[W104] not-differentiable: gr\\xfcn -> \\u2207" in result.out
    assert "│" in python(tmp_path, "use.py", PYTHONIOENCODING="utf-8").out


def test_before_the_framework_is_imported(tmp_path):
    write(
        tmp_path,
        use="""
import sys, whygrad
assert "torch" not in sys.modules
print(whygrad.explain(lambda: 3))
with whygrad.record() as run:
    import torch
    w = torch.zeros(2, requires_grad=True)
    opt = torch.optim.SGD([w], 0.1)
    (w.detach().sum() + torch.ones(1, requires_grad=True)).backward()
    opt.step()
print([f.code for f in run.report.findings], run.report.frameworks, run.report.updates)
assert not [finder for finder in sys.meta_path if "whygrad" in type(finder).__module__]
""",
    )
    result = python(tmp_path, "use.py")
    assert result.err == ""
    first, *rest = result.out.splitlines()
    assert first.startswith("neither PyTorch, TensorFlow nor JAX was imported by use.py")
    assert rest[-1] == "['W102'] ('torch',) 1"


@pytest.mark.parametrize("thing", [whygrad.explain, whygrad.record])
def test_the_examples_in_the_documentation(warm, tmp_path, thing):
    examples = re.findall(r"```python\n(.*?)```", inspect.cleandoc(thing.__doc__), re.DOTALL)
    assert examples
    setting = "batch = states = torch.ones(1, 2)\nactions = None\n"
    setting += "def train_step(states, actions=None):\n    return step()\n"
    write(tmp_path, use=HEAD + setting + textwrap.dedent("\n".join(examples)))
    result = warm.python(tmp_path, "use.py")
    assert (result.status, result.err) == (0, "")
    assert result.out == "no gradient faults found in use.py (1 update seen, torch)\n"
