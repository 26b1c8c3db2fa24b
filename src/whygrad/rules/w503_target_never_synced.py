"""W503 target-never-synced

What it checks
    A target network, a network of the trained one's build from which the
    loss takes its targets, never follows the trained one: it is never
    copied again, copied the wrong way round, onto itself, with a share of
    zero, or the average is computed and not stored, in the framework or on
    NumPy copies of the weights. In JAX, too, where a name has kept the first
    parameters and the sync goes on taking those. Targets that are made with
    predict() and NumPy, and then given to fit(), count as well.

Why it matters
    The targets stay those of the first, random network. The values converge
    to what that network said, the loss becomes small, and the policy is one
    step better than random at most.

Example
    PyTorch
        target_net = nn.Sequential(
            nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)
        )
        for p, p_target in zip(q_net.parameters(), target_net.parameters()):
            p_target = 0.01 * p + 0.99 * p_target    # binds a local name
    TensorFlow
        target_net = mlp(3)
        for w, w_target in zip(q_net.variables, target_net.variables):
            w_target = 0.01 * w + 0.99 * w_target    # binds a local name
    JAX
        target_params = init(9, 4, 16, 3)
        def average(p, p_target):
            return 0.01 * p + 0.99 * p_target
        jax.tree.map(average, q_params, target_params)   # and dropped

Instead
    PyTorch
        target_net = nn.Sequential(
            nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)
        )
        with torch.no_grad():
            both = zip(q_net.parameters(), target_net.parameters())
            for p, p_target in both:
                p_target.lerp_(p, 0.01)
    TensorFlow
        target_net = mlp(3)
        for w, w_target in zip(q_net.variables, target_net.variables):
            w_target.assign(0.01 * w + 0.99 * w_target)
    JAX
        target_params = init(9, 4, 16, 3)
        def average(p, p_target):
            return 0.01 * p + 0.99 * p_target
        target_params = jax.tree.map(average, q_params, target_params)

What does not help
    Training the target network too: give it no optimizer; it follows.
    Syncing at every step with a share of 1: then it is no target network.
    A longer run: what is never synced stays where it is.

When it is meant
    A fixed reference (a teacher, a reference policy, a random target) makes
    no bootstrap targets, and is quiet. A sync that the run was too short to
    reach is a note. Otherwise write `# whygrad: ok W503` on the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import syntax
from whygrad.flow.events import Copy
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import is_statement
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding
from whygrad.rules.numbers.flatness import is_nothing
from whygrad.rules.targets import sync_source
from whygrad.rules.targets.another_name import goes_by_another_name
from whygrad.rules.targets.averaged_outside import averaged_outside, averaged_with_itself
from whygrad.rules.targets.bound_once import bound_once, given_once
from whygrad.rules.targets.left_averages import dropped_average, dropped_averages_of, mixed_for_a_loss
from whygrad.rules.targets.objective import objectives
from whygrad.rules.targets.one_tree import trees, whole
from whygrad.rules.targets.shared_originals import misled
from whygrad.rules.targets.synced_beside import synced_beside
from whygrad.rules.targets.synced_twice import into_another_target
from whygrad.rules.targets.twin import Twin
from whygrad.rules.targets.twins import other_targets, target_networks
from whygrad.rules.targets.unsynced import FEWEST, LONG, blamed, finding_of, unsynced, used_at
from whygrad.rules.updates.let_fall import let_fall
from whygrad.rules.wording import quoted

CODE, NAME = "W503", "target-never-synced"
SUMMARY = "the target network never follows the one that is trained"


def check(case: Case) -> Iterator[Finding]:
    """Target networks that stay what they were."""
    told: list[tuple[Twin, Finding]] = []
    for twin in target_networks(case):
        if _stands_still(case, twin):
            continue
        if _left_at_first(case, twin) or (not _follows(case, twin) and not _rebound(case, twin)):
            finding = _explained(case, twin)
            if finding.severity != "note" or case.recording.all_updates >= LONG:
                told.append((twin, finding))
        else:
            yield from _half_synced(case, twin)
    told += [(twin, _explained(case, twin)) for twin in other_targets(case) if not _follows(case, twin)]
    for parts in trees(case, told):
        yield _explained(case, whole(parts)) if len(parts) > 1 else _explained(case, parts[0])
    for found in misled(case):
        name, online = f"`{found.twin.name}`", f"`{found.twin.online}`"
        yield finding_of(case, found.twin, sync_source.paired(case.stack(found.copies[0].stack)), "error",
            f"{name} follows {online}, as `{found.other.name}` does; no target follows `{found.left}`",
            f"copies from {online} once more",
            f"There are two targets because there are two networks. With {online} behind both they are one and the "
            f"same, and `{found.left}` is fitted to targets that know nothing of it.",
            f"copy into {name} from `{found.left}`")  # fmt: skip


def _follows(case: Case, twin: Twin) -> bool:
    if goes_by_another_name(case, twin):
        return True
    if twin.members <= case.recording.unseen_later:
        if synced_beside(case, twin):
            return False
        if _averaged_in_vain(case, twin) or _mixed_in_vain(case, twin):
            return False
        turned = any(c.at > twin.begun for c in twin.out_of)
        files = {site.file for stack in case.recording.stacks for site in stack if site.own}
        ran = {(site.file, site.line) for stack in case.recording.stacks for site in stack}
        return not (turned or bound_once(files, ran, twin.name))
    if twin.members & case.recording.moved_later:
        late = [c for c in (*twin.itself, *twin.into) if c.at > twin.begun]
        stood = {c.target for c in late if c.source in twin.members or c.share == 0.0}
        stood -= {c.target for c in late if c.source not in twin.members and c.share != 0.0}
        return not twin.members & case.recording.moved_later <= stood
    late = [c for c in twin.into if c.at > twin.begun]
    # One line averages all variables: where some of them tell that its share is zero, the others need not.
    nothing = {c.stack for c in late if c.share == 0.0} - {c.stack for c in late if c.share}
    return any(c.share != 0.0 and c.stack not in nothing for c in late)


def _averaged_in_vain(case: Case, twin: Twin) -> bool:
    """JAX: whether an average for the target is made in every update that was seen, and the next one uses none."""
    steps = sum(1 for s in case.recording.steps if s.applied & twin.originals)
    return steps > FEWEST and dropped_averages_of(case, twin) >= steps - 1


def _mixed_in_vain(case: Case, twin: Twin) -> bool:
    """JAX: whether what the target is to become is made for a loss, and no update that was seen began with it."""
    steps = sum(1 for s in case.recording.steps if s.applied & twin.originals)
    kept = any(c.at > twin.begun for c in twin.into)
    return steps > FEWEST and not kept and mixed_for_a_loss(case, twin) is not None


def _left_at_first(case: Case, twin: Twin) -> list[Copy]:
    """JAX: the copies of a sync that takes the parameters of before the training, which one name has kept since."""
    late = [c for c in twin.into if c.at > twin.begun]
    rounds = {target: [c for c in late if c.target == target] for target in {c.target for c in late}}
    old = {c.stale for c in late if c.stale}
    # The first copy of all takes what is still new, and has none before it to be the same as.
    again = len(old) == 1 and all(len(own) > FEWEST and all(c.stale for c in own[1:]) for own in rounds.values())
    if not again or twin.members - rounds.keys():
        return []
    files = {site.file for stack in case.recording.stacks for site in stack if site.own}
    return late if given_once(files, old.pop().partition("[")[0].partition(".")[0]) else []


def _stands_still(case: Case, twin: Twin) -> bool:
    """Whether the trained network itself never moves: no target could follow it (W401 or, in JAX, W206 says why)."""
    steps = [s for s in case.recording.steps if s.applied & twin.originals and s.error is None]
    begun = [{s.before[v] for s in steps if v in s.before} for v in twin.originals] if len(steps) > FEWEST else []
    if any(begun) and all(len(values) < FEWEST for values in begun) and not twin.out_of:
        return True  # each update begins where the first one did, and no sync takes it back
    given = [s.gradients.get(v) for s in steps for v in s.applied & twin.originals]
    return bool(given) and all(numbers is not None and is_nothing(numbers) for numbers in given)


def _half_synced(case: Case, twin: Twin) -> Iterator[Finding]:
    """PyTorch: a sync that runs again and again, and leaves out a whole part of the target."""
    recording = case.recording
    if recording.framework != "torch" or recording.cut_short:
        return
    late = [c for c in twin.into if c.at > twin.begun and c.share != 0.0]
    if not late:
        return
    rounds = {c.target: sum(1 for other in late if other.target == c.target) for c in late}
    parts: dict[str, set[int]] = {}
    for member in twin.members:
        parts.setdefault(".".join(case.variable(member).name.split(".")[:2]), set()).add(member)
    behind = {name: members for name, members in parts.items() if not members & (rounds.keys() | recording.moved_later)}
    synced = all(rounds.get(v, 0) >= FEWEST for name, members in parts.items() if name not in behind for v in members)
    for name, members in behind.items():
        sources = {o for v in members if (o := case.variable(v).copy_of) in twin.originals}
        moved = sum(1 for s in recording.steps if s.applied & sources) >= FEWEST
        if synced and moved and len(sources) == len(members) and members <= twin.objective.bits.keys():
            rest = " and ".join(f"`{other}`" for other in sorted(parts) if other not in behind)
            yield finding_of(case, twin, blamed(case, late), "warning",
                f"the sync of `{twin.name}` leaves out `{name}`", f"copies {rest} alone",
                f"The loss takes its targets from `{name}` too, which stays what it was when training began.",
                f"copy all of `{twin.online}`: both lists of the loop must be those of the whole network")  # fmt: skip


def _rebound(case: Case, twin: Twin) -> bool:
    """Whether the name of the target is bound to the trained network itself: that is for W502 to say."""
    if case.recording.framework == "jax":
        return False  # there a second name is a copy: arrays do not change
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    names = [(twin.name, twin.online), (f"self.{twin.name}", f"self.{twin.online}")]
    return any(sync_source.is_alias(value, b) for a, b in names for _, value in syntax.bindings(files, a))


def _bound_to(case: Case, name: str, other: str) -> Site | None:
    """JAX: where a name is given what another one holds."""
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    return next((site for site, value in syntax.bindings(files, name) if sync_source.is_alias(value, other)), None)


def _dropped(case: Case, twin: Twin, average: Op) -> Finding:
    """An average that goes nowhere."""
    # In JAX the average is a function's result; the line that throws it away is the fault.
    jax = case.recording.framework == "jax"
    where = (let_fall(case.stack(average.stack)) if jax else None) or case.site(average.stack)
    alone = where is not None and is_statement(where)
    return finding_of(case, twin, where, "error", f"the average for `{twin.name}` is computed and not stored",
        "nothing takes the result" if alone else "the result is bound to a name and dropped",
        f"A new tensor is made and nothing is written into `{twin.name}`.",
        {"torch": "write it into the parameter: p_target.data.copy_(…), or p_target.lerp_(p, tau) under no_grad",
         "tensorflow": f"write it into the variable: variable.assign({quoted(where, '…').strip('`')})"}.get(
            case.recording.framework, "keep what the function returns as the new target parameters"))  # fmt: skip


def _explained(case: Case, twin: Twin) -> Finding:
    """The best explanation: a copy that went wrong, an average that was dropped, a sync that never ran, or none."""
    late = [c for c in twin.out_of if c.at > twin.begun]
    still = [c for c in twin.into if c.at > twin.begun]
    itself = [c for c in twin.itself if c.at > twin.begun]
    strayed = _strayed(case, twin)
    dropped = dropped_average(case, twin, alone=True) or dropped_average(case, twin)
    dropped = dropped or dropped_average(case.over_time, twin, alone=True)
    unrun = [c for c in case.recording.copies_not_run if c.target in twin.members and c.source in twin.originals]
    name, online = f"`{twin.name}`", f"`{twin.online}`"
    if all(case.variable(v).constant for v in twin.members):
        where = _taken_in(case, twin)
        return finding_of(case, twin, where, "error",
            f"the target is a constant of the compiled function: it never follows {online}",
            "taken from around the function when it was traced, and used ever since",
            "jax.jit reads what is no argument once, while it traces. The program has other target parameters by now, "
            "and the compiled function still uses the first ones.",
            "pass the target parameters to the compiled function as an argument")  # fmt: skip
    if late:
        named = _bound_to(case, twin.online, twin.name) if case.recording.framework == "jax" else None
        named = named or sync_source.speaks_of(case.stack(late[0].stack), twin.name, twin.online)
        return finding_of(case, twin, named or blamed(case, late), "error",
            f"{name} is copied into {online}, not the other way round", "copies the target into the trained network",
            f"The sync takes the trained network back to the target at each call, and {name} itself never changes.",
            f"swap the two: {name} receives, {online} gives")  # fmt: skip
    if itself:
        stack = case.stack(itself[0].stack)
        where = sync_source.given_twice(stack) or sync_source.one_of_pair(stack) or blamed(case, itself)
        return finding_of(case, twin, where, "error",
            f"{name} is copied onto itself and never follows {online}", "copies the target onto itself",
            f"Source and destination are the same network, so the targets stay those of the first {name}.",
            f"copy from {online}")  # fmt: skip
    first = _left_at_first(case, twin)
    if first:
        kept = first[-1].stale
        where = sync_source.speaks_of(case.stack(first[-1].stack), kept.partition("[")[0], kept.partition("[")[0])
        return finding_of(case, twin, where or blamed(case, first), "error",
            f"the sync of {name} takes `{kept}`, which stays what it was before the first update",
            f"`{kept}` is not trained: the new parameters are kept in {online}",
            f"Arrays in JAX do not change. Each update makes new ones, kept in {online}; `{kept}` still means the "
            f"first ones, so that {name} never follows.",
            f"sync from {online}")  # fmt: skip
    mixed = averaged_with_itself(case, twin) if still else None
    if mixed is not None:
        return finding_of(case, twin, mixed, "error",
            f"the sync of {name} averages it with itself", "both shares are the target's own weights",
            f"{online}, which is trained, has no part in the sum: it gives {name} the weights that it has.",
            f"take one of the two shares from {online}")  # fmt: skip
    if still:
        return finding_of(case, twin, case.site(still[0].stack), "error",
            f"the sync of {name} changes nothing: its share is zero", "the content is the same after this as before",
            f"The average gives {online} a weight of zero (or one too small for the number format), so {name} stays.",
            "use a share above zero: tau * online + (1 - tau) * target with tau around 0.005")  # fmt: skip
    beside = synced_beside(case, twin)
    if beside:
        tree = twin.name.partition("[")[0]
        return finding_of(case, twin, blamed(case, beside), "warning",
            f"the sync of `{tree}` leaves out {name}", f"syncs other parts of `{tree}` alone",
            f"The loss takes its targets from {name} too, which stays what it was when training began.",
            f"sync all of `{tree}`: map over the two whole trees")  # fmt: skip
    if unrun:
        times = "in no round of the loop, and not in a far longer one either"
        if unrun[0].later:
            return finding_of(case, twin, case.site(unrun[0].stack), "note",
                f"the sync of {name} never ran in this loop", "its branch was never taken in this run",
                f"The loss takes its targets from {name}, which stays what it was when training began.",
                "nothing to do if a longer run reaches it; otherwise sync more often")  # fmt: skip
        return finding_of(case, twin, case.site(unrun[0].stack), "warning",
            f"the sync of {name} is never reached: {name} never follows {online}", "this branch is never taken",
            f"The condition of the sync holds {times}, so the targets stay those of the first {name}.",
            "give the sync a condition that comes true after every so many updates")  # fmt: skip
    if dropped is not None:
        return _dropped(case, twin, dropped)
    crossed = into_another_target(case, twin)
    if crossed:
        other = case.variable(crossed[0].target).network
        return finding_of(case, twin, sync_source.paired(case.stack(crossed[0].stack)), "error",
            f"{online} is copied into `{other}`, another one's target; {name} never follows",
            f"this copies into `{other}`",
            f"The loss takes its targets from {name} too, which stays what it was when training began.",
            f"copy into {name}")  # fmt: skip
    if strayed:
        return finding_of(case, twin, blamed(case, strayed), "error",
            f"{online} is copied into a network that nothing uses; {name} never follows",
            "this copy is not the target network",
            "The loss takes its targets from another network than the one that is synced here.",
            f"copy into {name}")  # fmt: skip
    outside = averaged_outside(case, twin)
    if outside is not None:
        return finding_of(case, twin, outside, "error",
            f"the average for {name} is computed in NumPy and not stored", "the result stays in a list of copies",
            f"The weights that were taken out are copies; what becomes of them does not change {name}.",
            f"give the result to the network: {twin.name}.set_weights(…)")  # fmt: skip
    return unsynced(case, twin)


def _taken_in(case: Case, twin: Twin) -> Site | None:
    """The innermost line that names the target parameters, rather than an argument of its function."""
    for op in (*twin.objective.part.ops, *case.slice(twin.objective.backward).ops):
        if op.name != "captured" and any(case.content.get(v) in twin.members for v in op.inputs):
            return sync_source.from_around(case.stack(op.stack), twin.name) or used_at(case, twin)
    return used_at(case, twin)


def _strayed(case: Case, twin: Twin) -> list[Copy]:
    """Copies of the trained network, made during training, into something that no loss is computed from."""
    used = {v for objective in objectives(case) for v in objective.bits}
    return [
        c
        for c in (case.recording.late or case.recording).copies  # it may have been made for the sync alone
        if c.at > twin.begun and c.source in twin.originals and c.target not in used and c.target not in twin.members
    ]
