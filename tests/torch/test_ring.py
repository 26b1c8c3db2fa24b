"""Looking on after the first updates: what the other rules see stays the same, and what is kept stays small."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from whygrad.flow.recording import Recording
from whygrad.trace import torch_recorder
from whygrad.trace.session import DEPTH, Session


def train(updates: int, ring: int, bad: int | None = None) -> Recording:
    session = Session(ring=ring)
    recorder = torch_recorder.start(session)
    try:
        torch.manual_seed(0)
        net, target = nn.Linear(3, 2), nn.Linear(3, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        for update in range(updates):
            states = torch.randn(4, 3)
            with torch.no_grad():
                wanted = target(states)
            loss = ((net(states) - wanted) ** 2).mean()
            optimizer.zero_grad()
            (loss / 0 if update == bad else loss).backward()
            optimizer.step()
            if update == DEPTH + 3:
                target.load_state_dict(net.state_dict())
    finally:
        recording = recorder.finish()
    assert not session.notes
    return recording


def shape_of(recording: Recording) -> tuple[object, ...]:
    ops = [(op.name, op.kind, op.carries) for op in recording.ops.values()]
    counts = [len(part) for part in (recording.backwards, recording.steps, recording.clears, recording.variables)]
    return ops, counts, recording.updates, recording.moved_later, recording.later_gradients, recording.hand_updated


def test_what_the_other_rules_see_stays_the_same() -> None:
    short, long = train(30, ring=0), train(30, ring=200)
    assert short.late is None and long.late is not None
    assert shape_of(short) == shape_of(long)
    assert {(c.source, c.target) for c in short.copies} <= {(c.source, c.target) for c in long.copies}


def test_what_is_kept_stays_small() -> None:
    early, late = (train(updates, ring=200).late for updates in (40, 200))
    assert early is not None and late is not None
    assert len(late.steps) == 200 and len(early.steps) == 40
    assert len(late.ops) < 1.5 * len(early.ops)
    assert len(late.values) < len(early.values) + 200  # the losses themselves


def test_the_update_that_goes_wrong_is_kept() -> None:
    late = train(60, ring=200, bad=33).late
    assert late is not None and len(late.steps) == 34
    loss = late.backwards[-1].loss
    assert loss is not None and any(loss in op.outputs for op in late.ops.values())


def test_it_ends_after_so_many_updates() -> None:
    late = train(60, ring=20).late
    assert late is not None and len(late.steps) == DEPTH + 20
