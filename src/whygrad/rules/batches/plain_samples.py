"""Plain samples in a loss: constants that were drawn from what a network says, and where they go."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.batches.decoded_samples import first_decoded
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SHAPING, SUM, Objective, objectives, size
from whygrad.rules.wording import called_from, plain_subject, quoted

_BARE = SHAPING | SUM | MINUS | frozenset({
    "mean", "sum", "reduce_mean", "reduce_sum", "neg", "negative", "__neg__", "min", "minimum", "reduce_min", "mul",
    "__mul__", "__rmul__", "multiply", "div", "truediv", "__truediv__",
})  # fmt: skip


def drawn_in(case: Case, objective: Objective) -> dict[int, Op]:
    """Values that come of a plain sample, with the operation that drew it, if the loss trains what it is drawn from."""
    drawn: dict[int, Op] = {}
    for op in objective.part.ops:
        given = 0
        for value in op.inputs:
            given |= objective.read.get(value, 0)
        if given & objective.trained and _draws(case, op):
            drawn.update(dict.fromkeys(op.outputs, op))
            continue
        source = next((drawn[v] for v in op.inputs if v in drawn), None)
        if source is not None:
            for value in op.outputs:
                drawn.setdefault(value, source)
    return drawn


def fed_critic(case: Case, objective: Objective, drawn: dict[int, Op]) -> tuple[Op, Op] | None:
    """A sample, and the critic that is fed with it and whose bare output the loss makes large."""
    for critic in _bare_outputs(case, objective) if drawn else ():
        source = drawn.get(critic.outputs[0])
        if source is not None and not objective.live.get(critic.outputs[0], 0) & objective.trained:
            return source, critic
    return None


def latent_samples(case: Case) -> Iterator[Finding]:
    """PyTorch: a latent that is drawn and goes on into a network, of which other terms of the loss know the mean."""
    seen: set[int] = set()
    for objective in objectives(case) if case.recording.framework == "torch" else ():
        drawn = drawn_in(case, objective)
        if not drawn or fed_critic(case, objective, drawn) is not None:  # W505
            continue
        decoded = first_decoded(case, objective, list({op.at: op for op in drawn.values()}.values()))
        if decoded is not None and decoded[0].stack not in seen:
            seen.add(decoded[0].stack)
            yield _latent_finding(case, objective, *decoded)


def _draws(case: Case, op: Op) -> bool:
    switch = case.recording.switches.get(op.switch) if op.switch is not None else None
    inside = switch.inside if switch is not None else ""
    return inside.rpartition(".")[2] == "sample" or (
        op.kind == "discrete" and ("random" in op.name or op.name == "normal")
    )


def _bare_outputs(case: Case, objective: Objective) -> Iterator[Op]:
    """Networks whose output is a term of the loss by itself, and which this loss does not train."""
    todo, seen = [objective.part.loss], {objective.part.loss}
    while todo:
        op = case.made_by.get(todo.pop())
        if op is None:
            continue
        if op.name in CONTRACTS:
            if any(v in case.content for v in op.inputs):
                yield op
            continue
        if op.name in PRODUCT and len([v for v in op.inputs if size(case, v) > 1]) > 1:
            continue
        bias = op.name in SUM and any(v in case.content for v in op.inputs)
        if bias or op.name in _BARE:
            fresh = [v for v in op.inputs if v not in seen and (v in objective.reached or _recorded(case, v, op))]
            seen.update(fresh)
            todo.extend(fresh)


def _recorded(case: Case, value: int, op: Op) -> bool:
    """Whether a value without a gradient was computed in the open: by a critic that is frozen for this loss."""
    made = case.made_by.get(value)
    return made is not None and made.kind == "compute" and made.switch is None and made.tapes == op.tapes


def _latent_finding(case: Case, objective: Objective, source: Op, layer: Op) -> Finding:
    where, used, loss = case.site(source.stack), case.site(layer.stack), case.loss_site(objective.backward)
    encoder = objective.variables(objective.read[source.outputs[0]] & objective.trained)
    path = stations((where, source.name, "a plain sample, without a gradient"),
                    (used, layer.name, "goes into a network"), (loss, "loss", "the loss"))  # fmt: skip
    return Finding(
        code="W104", rule="not-differentiable", severity="warning",
        message=f"{quoted(where)} is a plain sample: what the network makes of it does not train "
        f"{plain_subject(case, encoder)}",
        label="drawn as a constant: the gradient of the network behind it stops here",
        why="The sample goes on into a network whose output the loss judges, and the only way from there to the mean "
        "and the deviation is through the sample. A plain one is a constant; only the other terms of the loss train "
        "them.",
        fix="draw it reparameterised: mean + std * torch.randn_like(std), or dist.rsample()",
        variables=case.names(encoder), where=where, loss=loss,
        path=(*path, *(called_from(case, source.stack, where) if where is not None else ())),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip
