"""A target that nothing syncs in the run: what the program has for a sync, and the words for it."""

from __future__ import annotations

from whygrad.flow.events import Copy
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.targets import sync_source
from whygrad.rules.targets.left_averages import mixed_for_a_loss
from whygrad.rules.targets.objective import objectives
from whygrad.rules.targets.synced_twice import synced_twice
from whygrad.rules.targets.target_kinds import makes_targets
from whygrad.rules.targets.twin import Twin
from whygrad.rules.targets.twins import shown_apart
from whygrad.rules.targets.waiting_sync import fallen, held_back, in_loop, of_itself, waiting, without_effect
from whygrad.rules.wording import at_line, count, quoted

CODE, NAME = "W503", "target-never-synced"

FEWEST = 2
"""A run that stopped in its first update says nothing about a sync that comes after it."""

_ENOUGH = 3
"""So many updates without a sync are told of; a block of a program that is looked at has often fewer."""

LONG = 100
"""A sync that did not run in fewer updates than this is not worth a word."""


def unsynced(case: Case, twin: Twin) -> Finding:
    """A sync that waits, one that is missing, or one that serves another network."""
    updates = case.recording.all_updates
    files = sorted({site.file for stack in case.recording.stacks for site in stack})
    ran = {(site.file, site.line) for stack in case.recording.stacks for site in stack}
    functions = {site.function.rpartition(".")[2] for c in twin.into for site in case.stack(c.stack)[:1]}
    functions -= {"<module>", "__init__", "main", "<lambda>"}
    names, others = ({part.partition("[")[0] for part in one.split(".")} for one in (twin.name, twin.online))
    names = names - others or names  # `policy.q_target` beside `policy.q`: the agent's name says nothing of a sync
    waits = waiting(files, ran, names, functions)
    name, online = f"`{twin.name}`", f"`{twin.online}`"
    stayed = f"The loss takes its targets from {name}, which stays what it was when training began."
    if waits is not None and _traced_without(case, waits):
        return finding_of(case, twin, in_loop(waits), "warning",
            f"the sync of {name} is in a compiled function that was traced without it", "left out of the trace",
            "tf.function runs Python once, while it traces. A condition on a Python number is decided then: the sync "
            f"was not due at that call, and {name} stays what it was in all the others.",
            "sync outside of the compiled function, or make the condition a tensor: a tf.Variable that "
            "counts")  # fmt: skip
    if waits is not None:
        return finding_of(case, twin, waits, "note",
            f"the sync of {name} never ran in {count(updates, 'update')}", "never reached in this run", stayed,
            "nothing to do if a longer run reaches it; otherwise sync more often")  # fmt: skip
    enough = FEWEST if _handed_on(case, twin) else _ENOUGH
    if sum(1 for s in case.recording.steps if s.applied & twin.originals) < enough:
        return finding_of(case, twin, used_at(case, twin), "note",
            f"{name} did not follow {online} in {count(updates, 'update')}", "the target network is used here", stayed,
            "nothing to do if a longer run syncs it; a run of more updates tells")  # fmt: skip
    once = [c for c in twin.into if c.at <= twin.begun]
    step = next((s for s in case.recording.steps if s.applied & twin.originals), None)
    if once and step is not None and sync_source.comes_again(case.stack(once[-1].stack), case.stack(step.stack)):
        return finding_of(case, twin, case.site(once[-1].stack), "note",
            f"the sync of {name} did not run again in {count(updates, 'update')}", "ran before the first update only",
            stayed, "nothing to do if a longer run reaches it; otherwise sync more often")  # fmt: skip
    again = synced_twice(case, twin)
    if again:
        return finding_of(case, twin, blamed(case, again), "error",
            f"{name} never follows {online}: another target is synced twice in its place",
            f"`{case.variable(again[0].target).network}` once more",
            stayed, f"sync {name} from {online} here")  # fmt: skip
    mixed = mixed_for_a_loss(case, twin)
    if mixed is not None:
        return finding_of(case, twin, case.led_from(mixed.stack, twin.objective.backward.stack), "warning",
            f"the sync of {name} serves one loss and is not kept: {name} never follows {online}",
            "the new target parameters go into this loss alone",
            f"The loss is computed with what this returns, and the next one begins with {name} as it was when training "
            "began.",
            f"keep what it returns as the new {name}")  # fmt: skip
    kept = fallen(files, names) if case.recording.framework == "jax" else None
    if kept is not None and not case.recording.cut_short:
        return finding_of(case, twin, kept, "warning",
            f"the sync of {name} is computed and not kept: {name} never follows {online}",
            "nothing takes the new state",
            f"Arrays in JAX do not change: a new state is made here, and the old one stays in use. {stayed}",
            "bind what this returns to the name of the state")  # fmt: skip
    alone = of_itself(files, names) if case.recording.framework == "jax" else None
    if alone is not None and not case.recording.cut_short:
        return finding_of(case, twin, alone, "warning",
            f"the sync of {name} takes {name} itself: it never follows {online}", "made of itself alone", stayed,
            f"make it of {online} here")  # fmt: skip
    copied = {(site.file, site.line) for c in twin.into for site in case.stack(c.stack)}
    vain = without_effect(files, ran - copied, names - others, others - names)
    if vain is not None and not case.recording.cut_short:
        return finding_of(case, twin, vain, "warning",
            f"the sync of {name} does not reach it: {name} never follows {online}", "this changes something else",
            f"No variable of {name} is written here: what is changed is a copy or a dict that is thrown away. {stayed}",
            _advice(case.recording.framework, twin, ""))  # fmt: skip
    severity: Severity = "note" if case.recording.cut_short or _may_stay(case, twin, files, names) else "warning"
    held = held_back(files, ran, names, functions)
    if held is not None:
        return finding_of(case, twin, held[0], severity,
            f"the sync of {name} is never reached: nothing changes `{held[1]}`", "this never comes true",
            f"`{held[1]}` has the same value in every update, and so the condition of the sync does. {stayed}",
            f"count the updates in `{held[1]}`")  # fmt: skip
    where = _begun_at(case, once[-1]) if once else used_at(case, twin) or case.loss_site(twin.objective.backward)
    if once and where != blamed(case, once[-1:]):
        return finding_of(case, twin, where, severity, f"{name} never follows {online}",
            "called here once, and never again", stayed,
            f"call {quoted(where)} after every so many updates, too")  # fmt: skip
    label = "copied here once, and never again" if once else "the target network is used here and never synced"
    return finding_of(case, twin, where, severity, f"{name} never follows {online}", label, stayed,
        _advice(case.recording.framework, twin, quoted(where, "") if once else ""))  # fmt: skip


def _handed_on(case: Case, twin: Twin) -> bool:
    """JAX: whether a loop hands the target on as it is, in each of its rounds; two of them are written down."""
    inputs = {v for op in twin.objective.part.ops for v in op.inputs if case.content.get(v) in twin.members}
    return any(case.recording.values[v].steady for v in inputs)


def _may_stay(case: Case, twin: Twin, files: list[str], names: set[str]) -> bool:
    """Whether it is a reference, and nothing in the program, be it never called, would sync it."""
    inside = any(v in objective.bits for objective in objectives(case) for v in twin.members)
    if not inside or makes_targets(case, set(twin.members), set(twin.originals)):
        return False
    return waiting(files, set(), names, set(), unused=True) is None


def _traced_without(case: Case, waits: Site) -> bool:
    """Whether a line stands in a compiled function that was called often since it was traced."""
    for retrace in case.recording.retraces:
        if retrace.body is not None and retrace.calls - retrace.count >= LONG // 4:
            file, first, last = retrace.body
            if file == waits.file and first <= waits.line <= last:
                return True
    return False


def _advice(framework: str, twin: Twin, first: str) -> str:
    target, online = twin.name, twin.online
    if "set_weights" in first or "load_state_dict" in first:  # the user's own words; Keras on torch has only the former
        return f"do the same after every so many updates: {first}"
    if framework == "tensorflow":
        copied = f"`{target}.set_weights({online}.get_weights())`"
        return f"after every so many updates: {copied}, or average with `assign()`"
    if framework == "jax":
        return f"after every so many updates replace `{target}` by `{online}`, or average: optax.incremental_update"
    return f"after every so many updates: `{target}.load_state_dict({online}.state_dict())`, or average with `lerp_()`"


def blamed(case: Case, copies: list[Copy]) -> Site | None:
    """The line to blame for copies."""
    return sync_source.blamed(case.stack(copies[0].stack))


def _begun_at(case: Case, copy: Copy) -> Site | None:
    """The line to blame for a copy that ran once; of a function that syncs several targets, the one call of it."""
    where, stack = blamed(case, [copy]), case.stack(copy.stack)
    if where is None or where not in stack or "__init__" in where.function:
        return where
    caller = stack[stack.index(where) + 1 :][:1]
    served = {
        case.variable(c.target).network
        for c in case.recording.copies
        if any((one.file, one.function) == (where.file, where.function) for one in case.stack(c.stack))
    }
    return caller[0] if caller and len(served) > 1 else where


def used_at(case: Case, twin: Twin) -> Site | None:
    """Where the target is asked for the values that the loss is computed from."""
    backward = twin.objective.backward
    ops = [
        op
        for op in (*twin.objective.part.ops, *case.slice(backward).ops)
        if any(case.content.get(v) in twin.members for v in op.inputs)
    ]
    apart = shown_apart(case, twin) if len(ops) > 1 else set()  # where it is asked of the states too, that is not it
    told = next((op for op in ops if any(v in apart for v in op.inputs)), next(iter(ops), None))
    return case.led_from(told.stack, backward.stack) if told is not None else None


def finding_of(
    case: Case, twin: Twin, where: Site | None, severity: Severity, message: str, label: str, why: str, fix: str
) -> Finding:
    """What W503 says of a target, with the way from its use to the loss."""
    used, loss = used_at(case, twin), case.loss_site(twin.objective.backward)
    steps = [(used, "call", f"the target is computed with `{twin.name}`"), (where, "copy", label),
             (loss, "loss", "the loss")]  # fmt: skip
    places: dict[tuple[str, int], PathStep] = {}
    for site, op, role in steps:
        if site is not None:
            places[site.file, site.line] = PathStep(site, op, role)
    seen = f"{message}{at_line(where)}" if severity == "note" and where is not None else message
    return Finding(
        code=CODE, rule=NAME, severity=severity, message=seen, why=why, fix=fix,
        variables=case.names(twin.members), where=where, label=label, loss=loss, path=tuple(places.values()),
    )  # fmt: skip
