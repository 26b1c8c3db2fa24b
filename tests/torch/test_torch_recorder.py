"""The PyTorch recorder: what ends up in a recording."""

from __future__ import annotations

import copy
import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

from torch import nn
from torch.utils.checkpoint import checkpoint

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.flow.variables import Variable
from whygrad.trace import torch_recorder
from whygrad.trace.session import DEPTH, EnoughUpdates, Session

Tensor = torch.Tensor


class Run:
    """A session with one recorder, finished once."""

    def __init__(self, **options: Any) -> None:
        self.session = Session(**({"ring": 0} | options))
        self.recorder = torch_recorder.start(self.session)
        self.recording: Recording | None = None

    def finish(self) -> Recording:
        if self.recording is None:
            self.recording = self.recorder.finish()
        return self.recording


@pytest.fixture
def run() -> Iterator[Run]:
    run = Run()
    yield run
    run.finish()
    assert run.session.notes == []


def named(recording: Recording, name: str) -> list[Op]:
    return [op for op in recording.ops.values() if op.name == name]


def variable(recording: Recording, name: str) -> Variable:
    [found] = [v for v in recording.variables.values() if v.name == name]
    return found


def names_of(recording: Recording, numbers: Any) -> set[str]:
    return {recording.variables[n].name for n in numbers}


def line_of(recording: Recording, stack: int | None) -> str:
    assert stack is not None
    site = recording.stacks[stack][0]
    with open(site.file) as source:
        return source.readlines()[site.line - 1].strip()


def slice_of(recording: Recording, backward: Backward) -> reach.Slice:
    assert backward.loss is not None
    return reach.backward_slice(recording, backward.loss, reach.producers(recording), backward.at)


def cut_ops(recording: Recording, backward: Backward) -> list[Op]:
    missing = [v for v in recording.variables if v not in backward.got]
    return [cut.op for cut in reach.cuts(recording, slice_of(recording, backward), missing, None)]


def agrees(recording: Recording, backward: Backward) -> bool:
    """Whether the recording's own gradient flow gives what autograd gave."""
    reached = reach.gradient_reach(recording, slice_of(recording, backward), None)
    return {recording.values[n].variable for n in reached} - {None} == set(backward.got)


def leaf(*numbers: float) -> Tensor:
    return torch.tensor(numbers or (0.31, 0.77), requires_grad=True)


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def cut_by(run: Run, between: Callable[[Any], Any]) -> tuple[Recording, Op]:
    """One step whose way from `w` to the loss goes through `between`; `other` keeps the loss differentiable."""
    w, other = leaf(), leaf()
    loss = (between(w * 2.0).float() * 3.0).sum() + other.sum()
    loss.backward()
    assert w.grad is None
    recording = run.finish()
    [backward] = recording.backwards
    assert agrees(recording, backward)
    [op] = cut_ops(recording, backward)
    return recording, op


# --- one call ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("between", "name", "kind", "detail"),
    [
        (lambda x: x.detach(), "detach", "stop", ""),
        (lambda x: x.data, "data.__get__", "stop", ""),
        (lambda x: x.argmax(), "argmax", "discrete", "int64"),
        (lambda x: x > 0.5, "gt", "discrete", "bool"),
        (lambda x: x.long(), "long", "discrete", "int64"),
        (lambda x: x.to(torch.int32), "to", "discrete", "int32"),
        (lambda x: torch.multinomial(x, 1), "multinomial", "discrete", "int64"),
    ],
)
def test_each_way_to_cut_is_one_operation_of_its_kind(
    run: Run, between: Any, name: str, kind: str, detail: str
) -> None:
    recording, op = cut_by(run, between)
    assert (op.name, op.kind, op.detail) == (name, kind, detail)
    assert "lambda x" in line_of(recording, op.stack)


def test_a_sample_that_the_library_draws_without_recording(run: Run) -> None:
    recording, op = cut_by(run, lambda x: torch.distributions.Normal(x, 1.0).sample())
    assert op.switch is not None and recording.switches[op.switch].inside == "Normal.sample"
    assert named(recording, "normal")[0].kind == "discrete"


def test_compute_keeps_the_line_and_what_is_live(run: Run) -> None:
    w = leaf()
    out = torch.relu(w) * 2.0
    torch.ones(2).exp()
    recording = run.finish()
    assert out.requires_grad
    [relu], [exp] = named(recording, "relu"), named(recording, "exp")
    assert (relu.kind, relu.carries, exp.carries, relu.switch) == ("compute", True, False, None)
    assert line_of(recording, relu.stack) == "out = torch.relu(w) * 2.0"
    assert all(recording.values[n].live for n in (*relu.inputs, *relu.outputs))


def test_only_the_shape_of_an_argument_is_no_data_flow(run: Run) -> None:
    w = leaf()
    torch.zeros_like(w)
    torch.ones(2).view_as(w)
    recording = run.finish()
    assert named(recording, "zeros_like")[0].inputs == ()
    assert len(named(recording, "view_as")[0].inputs) == 1


def test_pairwise_functions_are_one_operation_each(run: Run) -> None:
    w, x = leaf(), torch.ones(3, 2)
    torch.broadcast_tensors(w, x)
    pairs = named(run.finish(), "broadcast_tensors")
    assert [(len(op.inputs), len(op.outputs), op.carries) for op in pairs] == [(1, 1, True), (1, 1, False)]


def test_a_call_with_nothing_to_do_is_no_operation(run: Run) -> None:
    leaf().float().contiguous().to("cpu")
    recording = run.finish()
    assert not [name for name in ("float", "contiguous", "to") if named(recording, name)]


def test_an_out_argument_is_an_output(run: Run) -> None:
    room = torch.zeros(2)
    torch.add(torch.ones(2), torch.ones(2), out=room)
    recording = run.finish()
    [op] = named(recording, "add")
    assert len(op.inputs) == 2 and len(op.outputs) == 1


def test_tensors_in_nested_arguments_and_keywords_are_inputs(run: Run) -> None:
    a, b, c = leaf(), leaf(), leaf()
    torch.stack([a, b]).sum()
    torch.where(condition=a > 0, input=b, other=c)
    recording = run.finish()
    assert len(named(recording, "stack")[0].inputs) == 2 and len(named(recording, "where")[0].inputs) == 3


def test_a_tensor_from_where_we_did_not_look_is_adopted() -> None:
    w = leaf()
    before = (w * 2.0).sum()
    data = torch.ones(2)
    run = Run()
    (before + data.sum()).backward()
    recording = run.finish()
    [unseen] = named(recording, "unseen")
    assert unseen.carries and [recording.values[i].variable for i in unseen.inputs] == [0]
    assert named(recording, "tensor data")[0].kind == "enter"
    assert agrees(recording, recording.backwards[0]) and run.session.notes == []


def test_errors_about_gradients_are_kept_and_others_are_not(run: Run) -> None:
    w = leaf()
    with pytest.raises(RuntimeError, match="leaf Variable"):
        w.add_(1.0)
    with pytest.raises(RuntimeError):
        torch.ones(2) @ torch.ones(3)
    with pytest.raises(RuntimeError, match="requires grad"):
        w.numpy()
    recording = run.finish()
    assert [failure.kind for failure in recording.failures] == ["add_", "numpy"]
    assert line_of(recording, recording.failures[0].stack) == "w.add_(1.0)"
    assert recording.variables[0].name == "w"


# --- switches ---------------------------------------------------------------------------------------------------


@torch.no_grad()
def decorated(w: Tensor) -> Tensor:
    return w * 2.0


def with_no_grad(w: Tensor) -> Tensor:
    with torch.no_grad():
        return w * 2.0


def with_inference_mode(w: Tensor) -> Tensor:
    with torch.inference_mode():
        return (w * 2.0).clone()


def with_set_grad_enabled(w: Tensor) -> Tensor:
    torch.set_grad_enabled(False)
    try:
        return w * 2.0
    finally:
        torch.set_grad_enabled(True)


def with_enable_grad_inside(w: Tensor) -> Tensor:
    with torch.no_grad():
        with torch.enable_grad():
            w.exp()
        return w * 2.0


@pytest.mark.parametrize(
    ("function", "name", "decorator"),
    [
        (with_no_grad, "no_grad", False),
        (with_set_grad_enabled, "no_grad", False),
        (with_inference_mode, "inference_mode", False),
        (with_enable_grad_inside, "no_grad", False),
        (decorated, "no_grad", True),
    ],
)
def test_operations_know_the_switch_that_was_off(run: Run, function: Any, name: str, decorator: bool) -> None:
    w = leaf()
    function(w)
    w * 3.0
    recording = run.finish()
    inside, outside = named(recording, "mul")
    assert inside.switch is not None and outside.switch is None and outside.carries
    switch = recording.switches[inside.switch]
    assert (switch.name, switch.decorator, switch.inside) == (name, decorator, "")
    assert all(op.switch is None for op in named(recording, "exp"))


def test_inference_mode_as_a_decorator_and_turned_off(run: Run) -> None:
    @torch.inference_mode()
    def act(w: Tensor) -> Tensor:
        return w * 2.0

    w = leaf()
    act(w)
    with torch.inference_mode(False):
        w * 3.0
    recording = run.finish()
    inside, outside = named(recording, "mul")
    assert inside.switch is not None and outside.switch is None
    assert recording.switches[inside.switch].decorator


def test_a_switch_that_was_off_before_we_looked() -> None:
    with torch.no_grad():
        run = Run()
        leaf() * 2.0
        recording = run.finish()
    [op] = named(recording, "mul")
    assert op.switch == -1 and recording.stacks[recording.switches[-1].stack] == ()


def test_requires_grad_names_the_line_that_froze(run: Run) -> None:
    net = mlp()
    for parameter in net[0].parameters():
        parameter.requires_grad = False
    net[2].requires_grad_(False)
    net[2].weight.requires_grad_(True)
    net(torch.ones(1, 3)).sum().backward()
    recording = run.finish()
    frozen = {v.name: line_of(recording, v.frozen) for v in recording.variables.values() if v.frozen is not None}
    assert frozen == {
        "net.0.weight": "parameter.requires_grad = False",
        "net.0.bias": "parameter.requires_grad = False",
        "net.2.bias": "net[2].requires_grad_(False)",
    }
    assert not variable(recording, "net.0.weight").trainable and variable(recording, "net.2.weight").trainable
    assert agrees(recording, recording.backwards[0])


def test_an_input_that_asks_for_a_gradient_is_a_variable_but_no_parameter(run: Run) -> None:
    image = torch.ones(2)
    image.requires_grad_(True)
    (image * 2.0).sum().backward()
    recording = run.finish()
    found = variable(recording, "image")
    assert not found.parameter and recording.backwards[0].got == {found.id}


# --- leaving the framework and coming back ----------------------------------------------------------------------


def through_numpy(x: Tensor) -> Tensor:
    array = x.detach().numpy()
    squashed = np.tanh(array)
    return torch.tensor(squashed)


def through_python(x: Tensor) -> Tensor:
    total = 0.0
    for number in x:
        total += number.item() ** 2
    return torch.tensor([total])


@pytest.mark.parametrize(
    ("round_trip", "proof"),
    [
        (lambda x: torch.from_numpy(x.detach().numpy()), "memory"),
        (lambda x: torch.as_tensor(x.detach().numpy()[:1]), "memory"),
        (lambda x: torch.tensor([x[0].item(), x[1].item()]), "value"),
        (lambda x: torch.tensor(x.tolist()), "value"),
        (lambda x: torch.ones(2) * float(x[0].detach()), "value"),
        (lambda x: torch.tensor(x.detach().numpy()), "memory"),
        (lambda x: torch.tensor(x.detach().numpy().copy()), "value"),
        (through_numpy, "source"),
        (through_python, "source"),
    ],
)
def test_a_round_trip_is_linked_by_the_best_proof(run: Run, round_trip: Any, proof: str) -> None:
    w, other = leaf(0.3137, 0.7718), leaf()
    (round_trip(w * 2.0).sum() + other.sum()).backward()
    recording = run.finish()
    assert recording.handovers and recording.handovers[0].proof == proof
    backward = recording.backwards[0]
    assert {op.kind for op in cut_ops(recording, backward)} <= {"leave", "stop"}
    assert any(recording.ops[h.left].kind == "leave" for h in recording.handovers)
    assert names_of(recording, backward.got) == {"other"} and agrees(recording, backward)


def test_data_that_never_left_is_not_linked(run: Run) -> None:
    w = leaf()
    w.sum().item()
    (torch.tensor([0.1234567, 0.7654321]) * w).sum().backward()
    assert run.finish().handovers == []


# --- functions of one piece -------------------------------------------------------------------------------------


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.exp().log() * 2.0

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return grads[0] * 2.0


class Blocked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x * 2.0
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None


def test_a_custom_function_is_one_operation(run: Run) -> None:
    w = leaf()
    Doubled.apply(w).sum().backward()
    recording = run.finish()
    [op] = named(recording, "Doubled")
    assert (op.kind, op.carries, named(recording, "exp")) == ("compute", True, [])
    assert line_of(recording, op.stack) == "Doubled.apply(w).sum().backward()"
    assert agrees(recording, recording.backwards[0])


def test_a_custom_function_without_a_gradient_is_opaque(run: Run) -> None:
    _, op = cut_by(run, lambda x: Blocked.apply(x))
    assert (op.name, op.kind) == ("Blocked", "opaque")


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint_carries_to_what_its_function_reads(run: Run, reentrant: bool) -> None:
    net, x = mlp(), torch.ones(2, 3, requires_grad=True)
    checkpoint(net, x, use_reentrant=reentrant).sum().backward()
    recording = run.finish()
    [backward] = [b for b in recording.backwards if b.call == "backward"][-1:]
    assert len(backward.got) == 5 and agrees(recording, backward)


def test_compiled_functions_run_eagerly_while_we_look() -> None:
    run = Run()
    net = mlp()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(1, 3)).sum().backward()
    recording = run.finish()
    assert len(named(recording, "linear")) == 2 and len(recording.backwards[0].got) == 4
    assert agrees(recording, recording.backwards[0]) and run.session.notes == []
    assert run.recorder.functions._stance_set is False


def test_functional_transforms_still_work(run: Run) -> None:
    def loss(w: Tensor, x: Tensor) -> Tensor:
        return (w * x).pow(2).sum()

    w, xs = torch.tensor([1.0, 2.0]), torch.ones(3, 2)
    assert torch.func.grad(loss)(w, xs[0]).tolist() == [2.0, 4.0]
    assert torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs).shape == (3, 2)
    net = mlp()
    out = torch.func.functional_call(net, dict(net.named_parameters()), (torch.ones(1, 3),))
    out.sum().backward()
    recording = run.finish()
    assert len(recording.backwards[-1].got) == 4 and agrees(recording, recording.backwards[-1])


# --- writes, views and copies -----------------------------------------------------------------------------------


def test_an_in_place_write_is_another_version(run: Run) -> None:
    w = leaf()
    x = w * 2.0
    x.add_(1.0)
    x[0] = 5.0
    x += 1.0
    x.sum().backward()
    recording = run.finish()
    assert [write.by for write in recording.writes] == ["add_", "__setitem__", "add_"]
    assert all(write.variable is None and write.before != write.after for write in recording.writes)
    assert named(recording, "add_")[0].kind == "compute" and agrees(recording, recording.backwards[0])


def test_what_is_overwritten_is_not_computed_from_the_old_content(run: Run) -> None:
    w = leaf()
    x = torch.ones(2)
    old = run.recorder.variables.value_of(x)
    x.copy_(w)
    x.mul_(2.0)
    recording = run.finish()
    [copy_], [mul_] = named(recording, "copy_"), named(recording, "mul_")
    assert old not in copy_.inputs and len(copy_.inputs) == 1 and copy_.outputs[0] in mul_.inputs


def test_a_write_into_a_view_is_a_write_into_its_base(run: Run) -> None:
    w = leaf()
    x = torch.zeros(4)
    x[:2].copy_(w)
    x.view(2, 2)[1].add_(w.detach())
    x.sum().backward()
    recording = run.finish()
    base = [op.outputs[-1] for op in (*named(recording, "copy_"), *named(recording, "add_"))]
    assert len(set(base)) == 2 and base[1] in named(recording, "sum")[0].inputs
    assert agrees(recording, recording.backwards[0])


@pytest.mark.parametrize(
    "write",
    [
        lambda w: w.data.sub_(0.1),
        lambda w: w.detach().mul_(0.9),
        lambda w: w.data.view(-1)[0].fill_(0.0),
        lambda w: setattr(w, "data", w.data * 0.9),
        lambda w: torch.no_grad()(lambda: w.sub_(0.1))(),
    ],
)
def test_a_write_through_an_alias_is_a_write_into_the_variable(run: Run, write: Any) -> None:
    w = leaf()
    write(w)
    (w * 2.0).sum().backward()
    recording = run.finish()
    found = variable(recording, "w")
    assert [w.variable for w in recording.writes] == [found.id] and recording.hand_updated == {found.id}
    wrote = recording.ops[recording.writes[0].at]
    assert wrote.kind == "write" and recording.values[wrote.outputs[-1]].variable == found.id
    assert set(named(recording, "mul")[-1].inputs) <= set(wrote.outputs)


def test_first_values_and_moves_are_no_writes(run: Run) -> None:
    net = mlp()
    nn.init.orthogonal_(net[0].weight)
    net.double().to("cpu")
    net[2].reset_parameters()
    recording = run.finish()
    assert recording.writes == [] and recording.hand_updated == set()


def test_copies_are_known(run: Run) -> None:
    online = mlp()
    deep, loaded, averaged, own = copy.deepcopy(online), mlp(), mlp(), mlp()
    loaded.load_state_dict(online.state_dict())
    with torch.no_grad():
        for slow, fast in zip(averaged.parameters(), online.parameters(), strict=True):
            slow.lerp_(fast, 0.01)
    nets = (online, deep, loaded, averaged, own)
    sum(net(torch.ones(1, 3)).sum() for net in nets).backward()
    recording = run.finish()
    assert {v.network for v in recording.variables.values() if v.copied} == {"deep", "loaded", "averaged"}
    assert {v.network for v in recording.variables.values() if not v.copied} == {"online", "own"}
    made = variable(recording, "deep.0.weight").created
    assert line_of(recording, made).startswith("deep, loaded")


def test_a_copy_of_something_frozen_is_frozen(run: Run) -> None:
    online = mlp().requires_grad_(False)
    target = copy.deepcopy(online)
    target(torch.ones(1, 3))
    run.recorder.look_for_names(sys._getframe())
    recording = run.finish()
    frozen = [v for v in recording.variables.values() if v.network == "target"]
    assert len(frozen) == 4 and not any(v.trainable or v.copied for v in frozen)
    assert all("requires_grad_(False)" in line_of(recording, v.frozen) for v in frozen)


# --- gradients --------------------------------------------------------------------------------------------------


def test_backward_tells_who_received_a_gradient(run: Run) -> None:
    a, b = leaf(), leaf()
    (a * 2.0 + b.detach()).sum().backward()
    (a * b).sum().backward()
    recording = run.finish()
    assert [names_of(recording, event.got) for event in recording.backwards] == [{"a"}, {"a", "b"}]
    assert all(event.error is None and agrees(recording, event) for event in recording.backwards)
    assert line_of(recording, recording.backwards[1].stack) == "(a * b).sum().backward()"


def test_several_losses_count_as_one(run: Run) -> None:
    a, b = leaf(), leaf()
    torch.autograd.backward([a.sum(), b.sum()])
    recording = run.finish()
    assert len(named(recording, "losses")[0].inputs) == 2
    assert names_of(recording, recording.backwards[0].got) == {"a", "b"} and agrees(recording, recording.backwards[0])


def test_a_backward_pass_that_fails_keeps_its_error(run: Run) -> None:
    w = leaf()
    loss = (w * w).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    recording = run.finish()
    assert recording.backwards[0].error is None and "second time" in str(recording.backwards[1].error)


def test_autograd_grad_tells_what_was_asked_for(run: Run) -> None:
    w, unused = leaf(), leaf()
    hidden = w * 2.0
    torch.autograd.grad(hidden.sum(), [w, unused, hidden], allow_unused=True)
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad((w * 2.0).sum(), unused)
    recording = run.finish()
    first, second = recording.backwards
    assert [recording.variables[v].name for v in first.wanted] == ["w", "unused"]
    assert names_of(recording, first.got) == {"w"} and len(first.asked_values) == 1
    assert not first.implicit and "not have been used" in str(second.error)


def test_a_gradient_penalty_is_part_of_the_computation(run: Run) -> None:
    critic, x = mlp(), torch.ones(2, 3, requires_grad=True)
    [slope] = torch.autograd.grad(critic(x).tanh().sum(), x, create_graph=True)
    slope.pow(2).sum().backward()
    recording = run.finish()
    assert [b.implicit for b in recording.backwards] == [True, False]
    assert named(recording, "autograd.grad")[0].carries
    part = slice_of(recording, recording.backwards[1])
    reached = {recording.values[n].variable for n in reach.gradient_reach(recording, part, None)}
    assert recording.backwards[1].got <= reached


def test_reading_a_gradient_is_noticed(run: Run) -> None:
    w, other = leaf(), leaf()
    hidden = w * 2.0
    (hidden * other).sum().backward()
    assert w.grad is not None
    with pytest.warns(UserWarning, match="not a leaf"):
        assert hidden.grad is None
    recording = run.finish()
    assert names_of(recording, recording.hand_updated) == {"w"}
    [asked] = [b for b in recording.backwards if b.call == ".grad"]
    assert asked.error == "not a leaf" and asked.asked_values == named(recording, "mul")[0].outputs


@pytest.mark.parametrize("set_to_none", [True, False])
@pytest.mark.parametrize("by_optimizer", [True, False])
def test_zero_grad_takes_the_gradients_away(run: Run, set_to_none: bool, by_optimizer: bool) -> None:
    net = mlp()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net(torch.ones(1, 3)).sum().backward()
    (optimizer if by_optimizer else net).zero_grad(set_to_none=set_to_none)
    optimizer.step()
    recording = run.finish()
    [clear], [step] = recording.clears, recording.steps
    assert len(clear.variables) == 4 and clear.optimizer == (0 if by_optimizer else None)
    assert step.applied == frozenset() and step.without == clear.variables


# --- optimizers -------------------------------------------------------------------------------------------------


def one_step(optimizer: Any, loss: Callable[[], Tensor]) -> None:
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


def test_a_step_tells_who_came_without_a_gradient(run: Run) -> None:
    a, b = leaf(), leaf()
    optimizer = torch.optim.Adam([{"params": [a]}, {"params": [b], "lr": 0.1}])
    one_step(optimizer, lambda: a.sum())
    recording = run.finish()
    [step] = recording.steps
    assert (names_of(recording, step.applied), names_of(recording, step.without)) == ({"a"}, {"b"})
    made = recording.optimizers[step.optimizer]
    assert (made.name, len(made.groups), made.holds) == ("Adam", 2, step.applied | step.without)
    assert line_of(recording, made.created).startswith("optimizer = torch.optim.Adam")
    assert recording.updates == 1 and recording.writes == []


@pytest.mark.parametrize("by_keyword", [True, False])
def test_a_closure_is_the_users_training_step(run: Run, by_keyword: bool) -> None:
    w = leaf()
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (w - 2.0).pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure=closure) if by_keyword else optimizer.step(closure)
    w * 2.0
    recording = run.finish()
    [step] = recording.steps
    assert names_of(recording, step.applied) == {"w"} and len(recording.backwards) >= 2
    assert len(named(recording, "pow")) == len(recording.backwards) == len(recording.clears)
    assert all(agrees(recording, backward) for backward in recording.backwards)
    assert recording.writes == [] and len(named(recording, "mul")) == 1


def test_a_gradient_scaler(run: Run) -> None:
    net = mlp()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = net(torch.ones(1, 3)).float().sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    recording = run.finish()
    assert len(recording.steps) == 2 and all(len(step.applied) == 4 for step in recording.steps)
    assert all(agrees(recording, backward) for backward in recording.backwards)


def test_letting_go_and_looking_again(run: Run) -> None:
    w, late = leaf(), leaf()
    optimizer = torch.optim.SGD([w], 0.01)
    for _ in range(4):
        assert run.recorder.deep
        one_step(optimizer, lambda: w.sum())
    assert not run.recorder.deep
    seen = len(run.recorder.recording.ops)
    one_step(optimizer, lambda: w.sum())
    assert len(run.recorder.recording.ops) == seen and run.session.updates == 5
    second = torch.optim.SGD([late], 0.01)
    assert run.recorder.deep
    one_step(second, lambda: late.sum())
    recording = run.finish()
    assert [step.optimizer for step in recording.steps] == [0, 0, 0, 0, 1]


def test_an_optimizer_that_waits_is_waited_for(run: Run) -> None:
    w, rare = leaf(), leaf()
    often, seldom = torch.optim.SGD([w], 0.01), torch.optim.SGD([rare], 0.01)
    for _ in range(DEPTH + 2):
        one_step(often, lambda: w.sum())
    for _ in range(DEPTH):
        assert run.recorder.deep
        one_step(seldom, lambda: rare.sum())
    assert not run.recorder.deep
    assert [step.optimizer for step in run.finish().steps] == [0] * (DEPTH + 2) + [1] * DEPTH


def test_an_optimizer_that_waits_for_long_is_looked_at_when_it_first_steps(run: Run) -> None:
    w, rare = leaf(), leaf()
    often, seldom = torch.optim.SGD([w], 0.01), torch.optim.SGD([rare], 0.01)
    for _ in range(25 * DEPTH):
        assert run.recorder.deep
        one_step(often, lambda: w.sum())
    assert not run.recorder.deep
    one_step(seldom, lambda: rare.sum())
    for _ in range(DEPTH):
        assert run.recorder.deep
        one_step(seldom, lambda: rare.sum())
    assert not run.recorder.deep
    assert [step.optimizer for step in run.finish().steps] == [0] * 25 * DEPTH + [1] * DEPTH


def test_an_optimizer_that_is_gone_is_not_waited_for(run: Run) -> None:
    w = leaf()
    dropped, optimizer = torch.optim.SGD([w], 0.1), torch.optim.SGD([w], 0.01)
    del dropped
    gc.collect()
    for _ in range(DEPTH):
        assert run.recorder.deep
        one_step(optimizer, lambda: w.sum())
    assert not run.recorder.deep


def test_a_program_that_makes_optimizers_for_ever_is_let_go(run: Run) -> None:
    w = leaf()
    looked = []
    for _ in range(20):
        optimizer = torch.optim.SGD([w], 0.01)
        looked.append(run.recorder.deep)
        for _ in range(DEPTH):
            one_step(optimizer, lambda: w.sum())
        assert not run.recorder.deep
    assert looked == [True] * (1 + 16) + [False] * 3
    assert len(run.finish().steps) == (1 + 16) * DEPTH and run.session.updates == 20 * DEPTH


def test_a_mode_on_top_of_ours_does_not_stop_the_release(run: Run) -> None:
    w = leaf()
    optimizer = torch.optim.SGD([w], 0.01)
    with torch.device("cpu"):
        for _ in range(5):
            one_step(optimizer, lambda: w.sum())
        assert run.recorder.deep and run.recorder.paused
    one_step(optimizer, lambda: w.sum())
    assert not run.recorder.deep
    assert len(run.finish().steps) == 4


def test_a_gradient_that_comes_later_is_noticed(run: Run) -> None:
    w, late, never = leaf(), leaf(), leaf()
    optimizer = torch.optim.SGD([w, late, never], 0.01)
    for _ in range(4):
        one_step(optimizer, lambda: w.sum())
    one_step(optimizer, lambda: (w * late + 0.0 * never).sum())
    recording = run.finish()
    assert names_of(recording, recording.later_gradients) == {"late"}


def test_the_program_is_stopped_after_the_updates_asked_for() -> None:
    run = Run(stop_after=6)
    w = leaf()
    optimizer = torch.optim.SGD([w], 0.01)
    with pytest.raises(EnoughUpdates):
        for _ in range(9):
            one_step(optimizer, lambda: w.sum())
    assert run.finish().updates == 6


# --- names ------------------------------------------------------------------------------------------------------


class Agent:
    def __init__(self) -> None:
        self.actor = mlp()
        self.critics = [mlp(), mlp()]
        self.heads = {"left": nn.Linear(2, 1)}
        self.log_alpha = leaf(0.1)
        self.optimizer = torch.optim.SGD(self.everything(), 0.1)

    def everything(self) -> list[Tensor]:
        nets = [self.actor, *self.critics, *self.heads.values()]
        return [*(p for net in nets for p in net.parameters()), self.log_alpha]

    def learn(self) -> None:
        out = self.heads["left"](self.actor(torch.ones(1, 3)) + sum(c(torch.ones(1, 3)) for c in self.critics))
        one_step(self.optimizer, lambda: (out * self.log_alpha).sum())


class Trainer:
    def __init__(self) -> None:
        self.agent = Agent()

    def train(self) -> None:
        self.agent.learn()


def test_names_are_the_users(run: Run) -> None:
    trainer = Trainer()
    trainer.train()
    recording = run.finish()
    found = {v.name for v in recording.variables.values()}
    assert {"actor.0.weight", "critics[1].2.bias", "heads['left'].weight", "log_alpha"} <= found
    assert {v.network for v in recording.variables.values()} == {
        "actor", "critics[0]", "critics[1]", "heads['left']", "log_alpha",
    }  # fmt: skip
    weight = variable(recording, "actor.0.weight")
    assert (weight.owner, weight.model, weight.registered, weight.parameter) == ("actor.0", "Sequential", True, True)
    assert line_of(recording, weight.created).startswith("return nn.Sequential")
    assert 0 < weight.born < recording.steps[0].at


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = [nn.Linear(3, 3)]
        self.parts = {"up": nn.Linear(3, 3), "scale": leaf(1.0)}
        self.head = nn.Linear(3, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.parts["up"](self.blocks[0](x)) * self.parts["scale"])


def test_layers_in_plain_containers_are_not_registered(run: Run) -> None:
    tower = Tower()
    tower(torch.ones(1, 3)).sum().backward()
    recording = run.finish()
    hidden = {v.name for v in recording.variables.values() if not v.registered}
    assert hidden == {
        "tower.blocks[0].weight", "tower.blocks[0].bias", "tower.parts['up'].weight", "tower.parts['up'].bias",
        "tower.parts['scale']",
    }  # fmt: skip
    assert {v.keeper for v in recording.variables.values() if not v.registered} == {"Tower"}
    assert variable(recording, "tower.head.weight").registered


def test_what_nobody_names_is_called_by_its_shape(run: Run) -> None:
    def loss() -> Tensor:
        return nn.Linear(3, 2)(torch.ones(1, 3)).sum() + torch.tensor(0.5, requires_grad=True)

    loss().backward()
    recording = run.finish()
    found = {v.name for v in recording.variables.values()}
    assert found == {"parameter 0 (2x3)", "parameter 1 (2)", "tensor (scalar)"}
    assert {v.network for v in recording.variables.values()} == {"unnamed parameters"}


# --- the program is left as it is -------------------------------------------------------------------------------


def train(seed: int) -> list[Any]:
    torch.manual_seed(seed)
    np.random.seed(seed)
    net = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.3), nn.Tanh(), nn.Linear(16, 2))
    target = copy.deepcopy(net)
    optimizer = torch.optim.Adam(net.parameters(), 0.05)
    losses = []
    for _ in range(8):
        x = torch.randn(4, 3)
        with torch.no_grad():
            goal = target(x) * float(np.random.rand()) + torch.from_numpy(np.random.rand(4, 2)).float()
        action = torch.distributions.Normal(net(x), 1.0).rsample()
        loss = (action - goal).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.detach().clone())
        for slow, fast in zip(target.parameters(), net.parameters(), strict=True):
            slow.data.lerp_(fast.data, 0.1)
    return [*net.state_dict().values(), *losses, torch.get_rng_state(), torch.from_numpy(np.random.rand(3))]


@pytest.mark.parametrize("depth", [4, 100])
def test_training_is_bit_identical_under_observation(depth: int) -> None:
    plain = train(3)
    run = Run(depth=depth)
    watched = train(3)
    run.finish()
    assert len(plain) == len(watched)
    assert all(torch.equal(one, other) for one, other in zip(plain, watched, strict=True))
    assert run.session.notes == []


def test_no_tensor_is_kept_alive(run: Run) -> None:
    net = mlp()
    optimizer = torch.optim.Adam(net.parameters())
    hidden = net(torch.ones(2, 3))
    loss = hidden.pow(2).sum()
    loss.backward()
    optimizer.step()
    array = hidden.detach().numpy()
    torch.from_numpy(array)
    watch = [weakref.ref(thing) for thing in (hidden, loss, array, net[0].weight, net, optimizer)]
    del net, optimizer, hidden, loss, array
    gc.collect()
    assert [reference() for reference in watch] == [None] * 6


def test_a_long_rollout_stays_small(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_recorder, "_KEPT", 300)
    run.recorder._next_prune = 300
    net, kept, most = mlp(), [], 0
    for step in range(400):
        with torch.no_grad():
            action = net(torch.ones(1, 3)).argmax()
        if step % 100 == 0:
            kept.append(net(torch.ones(1, 3)))
        most = max(most, len(run.recorder.recording.ops))
    assert action.shape == () and most < 1000
    sum(out.sum() for out in kept).backward()
    recording = run.finish()
    assert len(recording.backwards[0].got) == 4 and agrees(recording, recording.backwards[0])
    assert len(recording.values) < 2000 and len(run.recorder.variables._known) < 1500


@pytest.mark.parametrize(
    ("part", "method"),
    [
        ("calls", "_note"),
        ("variables", "adopt"),
        ("variables", "value_of"),
        ("variables", "new_value"),
        ("gradients", "_state"),
        ("gradients", "_asked"),
        ("optimizers", "_note_step"),
        ("optimizers", "_note_clear"),
        ("optimizers", "_note_made"),
        ("naming", "_refresh_flags"),
        ("functions", "_note"),
    ],
)
def test_a_failure_of_ours_is_a_note_and_training_goes_on(
    part: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program() -> list[Any]:
        torch.manual_seed(1)
        net = mlp()
        twin = copy.deepcopy(net).requires_grad_(False)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(3):
            one_step(optimizer, lambda: (Doubled.apply(net(torch.ones(1, 3))) - twin(torch.ones(1, 3))).pow(2).sum())
        slopes = torch.autograd.grad(net(torch.ones(1, 3)).sum(), list(net.parameters()))
        return [*net.state_dict().values(), *slopes]

    plain = program()
    run = Run()

    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("inside whygrad")

    with monkeypatch.context() as patch:
        patch.setattr(getattr(run.recorder, part), method, broken)
        watched = program()
    run.finish()
    assert all(torch.equal(one, other) for one, other in zip(plain, watched, strict=True))
    assert run.session.notes and all("inside whygrad" in note for note in run.session.notes)


def test_everything_is_put_back() -> None:
    from torch.optim import optimizer

    def state() -> tuple[Any, ...]:
        return (
            torch.optim.Optimizer.__init__, torch.optim.Optimizer.zero_grad, nn.Module.zero_grad, torch.compile,
            nn.Module.register_parameter, nn.Parameter.__deepcopy__, vars(torch.autograd.Function).get("apply"),
            torch.inference_mode, nn.init.orthogonal_, threading.Thread._bootstrap_inner,
            torch.overrides._get_current_function_mode_stack(), list(optimizer._global_optimizer_pre_hooks),
            list(optimizer._global_optimizer_post_hooks),
        )  # fmt: skip

    before = state()
    run = Run()
    assert all(one != other for one, other in zip(before, state(), strict=True))
    run.finish()
    assert before == state()


# --- threads and processes --------------------------------------------------------------------------------------


def test_threads_that_start_while_we_look_are_seen(run: Run) -> None:
    w = leaf()

    def work() -> None:
        (w * 2.0).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
        thread.join()
    recording = run.finish()
    assert len(recording.backwards) == len(named(recording, "mul")) == 4
    assert all(names_of(recording, b.got) == {"w"} and agrees(recording, b) for b in recording.backwards)


class Numbers(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Tensor:
        return torch.full((3,), float(index)) * 1.0


def test_a_data_loader_with_workers(run: Run) -> None:
    os.register_at_fork(after_in_child=run.recorder.forget_in_child)
    net = mlp()
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    context = "fork" if sys.platform == "linux" else None
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=2, multiprocessing_context=context)
    for batch in loader:
        one_step(optimizer, lambda x=batch: net(x).sum())
    recording = run.finish()
    assert len(recording.steps) == 4 and all(len(step.applied) == 4 for step in recording.steps)
    assert all(agrees(recording, backward) for backward in recording.backwards)


class Wrapped(torch.optim.Optimizer):  # type: ignore[misc]
    """What Lightning does: an optimizer that hands all on to another one."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def step(self, closure: Any = None) -> Any:
        return self.inner.step(closure)


def test_an_optimizer_behind_a_wrapper_is_one_optimizer(run: Run) -> None:
    net = nn.Linear(2, 1)
    optimizer = Wrapped(torch.optim.SGD(net.parameters(), lr=0.1))
    net(torch.ones(3, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    recording = run.finish()
    assert list(recording.optimizers) == [0]
    assert [clear.optimizer for clear in recording.clears] == [0]
