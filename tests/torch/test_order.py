"""Every legal order of clear, backward, unscale, clip and step is quiet; the illegal ones name the call."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from program_runner import PROGRAMS, only, run

CALLS = {
    "clear": "optimizer.zero_grad()",
    "module clear": "net.zero_grad(set_to_none=False)",
    "hand clear": "[setattr(p, 'grad', None) for p in net.parameters()]",
    "loss": "loss = nn.functional.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1))",
    "backward": "loss.backward()",
    "clip": "nn.utils.clip_grad_norm_(net.parameters(), 0.5)",
    "step": "optimizer.step()",
    "scaled": "scaler.scale(loss).backward()",
    "unscale": "scaler.unscale_(optimizer)",
    "scaled step": "scaler.step(optimizer)",
    "update": "scaler.update()",
}
HEAD = '''"""One order of the calls of a training step."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters())
scaler = torch.amp.GradScaler("cpu")
for _ in range(4):
'''

LEGAL = [
    "clear loss backward step",
    "loss clear backward clip step",
    "loss backward step clear",
    "loss backward clip step clear",
    "loss backward clip step module_clear",
    "hand_clear loss backward step",
    "clear clear loss backward step clear",
    "clear loss backward loss backward step",
    "clear loss backward clip loss backward clip step",
    "clear loss scaled scaled_step update",
    "clear loss scaled unscale clip scaled_step update",
    "loss scaled unscale clip scaled_step clear update",
    "loss scaled loss scaled unscale clip scaled_step update clear",
]
ILLEGAL = [
    ("loss backward clear step", "W301", "clear"),
    ("loss backward clip clear step", "W301", "clear"),
    ("loss backward module_clear step clear", "W301", "module_clear"),
    ("loss backward hand_clear step", "W301", "hand_clear"),
    ("clear step loss backward", "W302", "step"),
    ("step loss backward clear", "W302", "step"),
    ("clear clip loss backward step", "W303", "clip"),
    ("clip clear loss backward step", "W303", "clip"),
    ("clear loss backward step clip", "W303", "clip"),
    ("clear loss backward clip loss backward step", "W303", "clip"),
    ("clear loss scaled clip scaled_step update", "W303", "clip"),
    ("clear loss scaled clip unscale scaled_step update", "W303", "clip"),
    ("loss backward step", "W304", "backward"),
    ("loss backward clip step", "W304", "backward"),
    ("clear loss scaled scaled_step", "W302", "scaled_step"),
]


def written(order: str, folder: Path) -> Path:
    program = folder / "order.py"
    lines = "".join(f"    {CALLS[name.replace('_', ' ')]}\n" for name in order.split())
    program.write_text(HEAD + lines)
    return program


@pytest.mark.parametrize("order", LEGAL)
def test_legal_order_is_quiet(order: str, tmp_path: Path) -> None:
    assert [f.code for f in run(written(order, tmp_path)).findings if f.severity != "note"] == []


@pytest.mark.parametrize(("order", "code", "call"), ILLEGAL)
def test_illegal_order_names_the_call_that_is_out_of_place(order: str, code: str, call: str, tmp_path: Path) -> None:
    report = run(written(order, tmp_path))
    found = [(f.code, f.where.line if f.where else 0) for f in report.findings if f.severity != "note"]
    assert found == [(code, HEAD.count("\n") + 1 + order.split().index(call))]


MESSAGES = {
    "w204_zipped_with_the_twin": "`first` (4 variables) and `second` (4 variables) are given the gradient of",
    "w204_wrong_optimizer_steps": "steps after `actor_loss` at line",
    "w205_one_optimizer": "`critic` (4 variables) is moved by the loss at line 22, which is there to train `actor`",
    "w301_zero_grad_in_loop": "`policy` (4 variables) comes to every step without a gradient",
    "w302_step_first": "`optimizer.step()` runs before `loss.backward()`: `q_net` (4 variables) gets nothing",
    "w303_clip_still_scaled": "clips gradients that are still scaled",
    "w304_zero_grad_per_epoch": "the gradients of `model` (4 variables) pile up: `loss` adds to those of the updates",
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message(name: str) -> None:
    code = name.split("_")[0].upper()
    assert MESSAGES[name] in only(run(PROGRAMS / "torch" / f"{name}.py"), code).message
