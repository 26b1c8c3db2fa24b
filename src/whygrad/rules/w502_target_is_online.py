"""W502 target-is-online

What it checks
    A program keeps a target network and an online network, and both are one:
    two names for one object, a shallow copy, layers or memory that are shared
    (`target.data = online.data`, a second keras.Model on the same layers). A
    sync then copies the weights onto
    themselves, and the targets are computed with the very network that is
    being trained, also by predict() for a fit(). Or there is a target
    network, kept in step with the online one, and the targets are computed
    with the online one all the same. Or a loss holds a network against one
    that was to stay behind (the reference of a preference loss), and both
    are one.

Why it matters
    The target network exists so that the targets hold still while the online
    network moves. As one network they move at every step, and values feed on
    themselves. Nothing fails: the sync runs, the loss is finite, the values
    drift or blow up.

Example
    PyTorch
        target_net = q_net                       # the same network
        before = [p.clone() for p in target_net.parameters()]
        loss = F.mse_loss(q_net(states).max(dim=1).values, returns)
        loss.backward()
        torch.optim.SGD(q_net.parameters(), lr=0.1).step()
    TensorFlow
        target_net = q_net                       # the same network
        with tf.GradientTape() as tape:
            q = tf.reduce_max(q_net(states), axis=1)
            loss = tf.reduce_mean((q - returns) ** 2)
        grads = tape.gradient(loss, q_net.trainable_variables)
        optimizer.apply_gradients(zip(grads, q_net.trainable_variables))
    JAX
        def loss_fn(params):
            q = q_net(params, states).max(axis=1)
            return jnp.mean((q - returns) ** 2)
        grads = jax.grad(loss_fn)(q_params)
        q_params = jax.tree.map(lambda p, g: p - 0.1 * g, q_params, grads)
        target_params = q_params                 # at every update

Instead
    PyTorch
        import copy
        target_net = copy.deepcopy(q_net)
        loss = F.mse_loss(q_net(states).max(dim=1).values, returns)
        loss.backward()
        torch.optim.SGD(q_net.parameters(), lr=0.1).step()
    TensorFlow
        target_net = keras.models.clone_model(q_net)
        target_net.set_weights(q_net.get_weights())
        with tf.GradientTape() as tape:
            q = tf.reduce_max(q_net(states), axis=1)
            loss = tf.reduce_mean((q - returns) ** 2)
        grads = tape.gradient(loss, q_net.trainable_variables)
        optimizer.apply_gradients(zip(grads, q_net.trainable_variables))
    JAX
        def loss_fn(params):
            q = q_net(params, states).max(axis=1)
            return jnp.mean((q - returns) ** 2)
        target_params = q_params                 # stays behind
        grads = jax.grad(loss_fn)(q_params)
        q_params = jax.tree.map(lambda p, g: p - 0.1 * g, q_params, grads)

What does not help
    copy.copy(net): a new object around the same parameters.
    A longer sync interval: there is nothing to sync.
    target.load_state_dict(online.state_dict()): copies onto itself.

When it is meant
    Algorithms without a target network (A2C, PPO, plain SARSA) have one name
    for one network, and are quiet. Otherwise write `# whygrad: ok W502` on
    the line that binds the second name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import permutations

from whygrad.flow import reach, syntax
from whygrad.flow.events import Copy
from whygrad.flow.site import Site, Stack
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.consumer import named_call
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets import same_arrays, sync_source
from whygrad.rules.targets.handed import handed_as
from whygrad.rules.targets.held_against_itself import held_against_itself
from whygrad.rules.targets.idle_targets import Idle, idle_targets
from whygrad.rules.targets.objective import bootstraps, objectives, predicted
from whygrad.rules.targets.one_memory import one_memory
from whygrad.rules.targets.twins import target_networks
from whygrad.rules.wording import at_line, quoted, subject

CODE, NAME = "W502", "target-is-online"
SUMMARY = "one network under two names"


def check(case: Case) -> Iterator[Finding]:
    """Networks that are copied onto themselves, or called by two names on the two sides of one loss."""
    for members, bound, sync, names in aliases(case):
        yield _finding(case, members, bound, sync, names)
    named = {v for alias in aliases(case) for v in alias[0]}
    yield from one_memory(case)
    live = _through_target(case)
    for idle in idle_targets(case):
        if not idle.originals & (named | live):
            yield _idle(case, idle)
    if case.recording.framework == "jax":
        for same in same_arrays.found(case):
            if not same.members & live:
                yield _same(case, same)


def _through_target(case: Case) -> set[int]:
    """Variables that a loss trains through its own target: W501 says it, and that the target is not used follows."""
    found: set[int] = set()
    for objective in objectives(case):
        for target in bootstraps(case, objective, live=True):
            found |= objective.variables(objective.live[target.value] & objective.trained)
    return found


Alias = tuple[set[int], Site | None, Site | None, list[str]]
"""The variables of a network, where its second name was bound, where it is copied onto itself, and its names."""


@asked_once
def aliases(case: Case) -> list[Alias]:
    """Networks with two names, each once."""
    found: list[Alias] = []
    for alias in (*_called(case), *_synced(case), *_predicted(case)):
        same = next((known for known in found if alias[1] is not None and alias[1] == known[1]), None)
        if same is not None:
            same[0].update(alias[0])  # the two halves of a twin critic, by one line
        elif not any(alias[0] & known[0] for known in found):
            found.append(alias)
    return found


def _synced(case: Case) -> Iterator[Alias]:
    """A sync that copies a trained network onto itself, though the source speaks of two."""
    known = {v for twin in target_networks(case) for v in twin.members | twin.originals}
    # A line that copied to the target before has lost it since: its name was bound to the network that it copies from.
    apart = {copy.stack for copy in case.recording.copies if copy.source != copy.target and copy.source in known}
    done, looked = set[int](), set[int]()
    to_train = case.trained | {v for o in case.recording.optimizers.values() for v in o.holds}  # or it came to no step
    for copy in case.recording.copies:
        if copy.source != copy.target or copy.target in done or copy.stack in looked or copy.target not in to_train:
            continue
        if copy.target in known and copy.stack not in apart:
            continue
        looked.add(copy.stack)
        where = sync_source.blamed(case.stack(copy.stack))
        names = sync_source.pair_called(where) if where is not None else []
        if where is None or len(names) < 2:
            continue
        members = _same_sync(case, copy)
        done |= members
        # A function that is given both may call them as the program does.
        spoken = [names, *(inner for site in case.stack(copy.stack) if len(inner := sync_source.pair(site)) > 1)]
        bound, names = next((told for pair in spoken if (told := _told_apart(case, pair))), (None, names))
        if bound is None:
            last = [site for name in names[:2] for site in _last_binding(case, name)]
            bound = max(last, key=lambda site: site.line, default=None)
        yield members, bound, where, names


def _told_apart(case: Case, names: list[str]) -> tuple[Site, list[str]] | None:
    """Where one of two names, or of what holds them, was bound to the other, and which two these are."""
    kept = sync_source.holders(names[0], names[1])
    # A sync may be given more than the two: what averages them, a rate.
    pairs = ((names[0], names[1]), (names[1], names[0]), kept, kept[::-1], *permutations(names, 2))
    found = next(((site, one, other) for one, other in pairs if (site := _bound(case, one, other)) is not None), None)
    if found is None:
        return None
    return found[0], names[:2] if len(names) == 2 else [found[1], found[2]]


def _same_sync(case: Case, copy: Copy) -> set[int]:
    return {c.target for c in case.recording.copies if c.source == c.target and c.stack == copy.stack}


def _called(case: Case) -> Iterator[Alias]:
    """Both sides of a loss read the same variables, by two names of which one was bound to the other."""
    if case.recording.framework == "jax":
        return  # there a second name is a copy: arrays do not change (see `same_arrays`)
    against = held_against_itself(case)
    for prediction, value, members in (*_bootstrapped(case), *against):
        names = _callees(case, (prediction, value), members)
        for target in names[1]:
            if target in names[0] and (prediction, value, members) in against:
                continue  # by this name it also chose the actions that both are asked for
            for online in names[0]:
                if target == online or _nested(case, target, online):
                    continue
                bound = _bound(case, target, online) or _bound(case, online, target)
                if bound is None and names[0][online] == names[1][target]:
                    bound = _built_apart(case, target, online)
                if bound is not None:
                    yield members, bound, None, [target, online]


def _bootstrapped(case: Case) -> Iterator[tuple[int, int, set[int]]]:
    """A prediction, the value that its target is made of, and the trained variables that both read."""
    for objective in objectives(case):
        for found in (*bootstraps(case, objective, live=False), *predicted(case, objective)):
            objective = found.objective
            both = objective.live[found.prediction] & objective.trained & objective.read.get(found.value, 0)
            if both:
                yield found.prediction, found.value, set(objective.variables(both))


def _predicted(case: Case) -> Iterator[Alias]:
    """TensorFlow: the targets that `fit` is given were made by the same network, by another name of it."""
    for objective in objectives(case) if case.recording.framework == "tensorflow" else ():
        fitted = case.stack(objective.backward.stack)
        for op in case.slice(objective.backward, reach.SUGGESTED).ops:
            members = {v for n in op.inputs if (v := case.content.get(n)) in objective.bits} & case.trained
            stack = case.stack(op.stack)
            if not members or stack[: len(fitted)] == fitted:
                continue
            for target, online in _holders(stack, fitted):
                bound = _bound(case, target, online) if target.rpartition(".")[0] == online.rpartition(".")[0] else None
                if target != online and bound is not None:
                    yield members, bound, None, [target, online]


def _holders(predicted: Stack, fitted: Stack) -> Iterator[tuple[str, str]]:
    """What predicts and what is fitted as each function on both ways calls them: the networks, or what holds them."""
    for site in predicted:
        for other in fitted:
            called, holder = syntax.callee(site), syntax.called_at(other).rpartition(".")[0]
            if (site.file, site.function) == (other.file, other.function) and called and holder:
                yield called, holder


def _callees(case: Case, starts: tuple[int, int], members: set[int]) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """What the network is called by where the prediction is made and where the target is, with what each reads.

    A function is no network: `values = self.values` is one function by two names, and may be given either network.
    """
    sides: tuple[dict[str, set[int]], dict[str, set[int]]] = ({}, {})
    back = {h.entered: case.recording.ops.get(h.left) for h in case.recording.handovers if h.proof in reach.PROVED}
    for side, start in enumerate(starts):
        todo, seen = [start], {start}
        while todo:
            op = case.made_by.get(todo.pop())
            op = back.get(op.at, op) if op is not None else None
            if op is None:
                continue
            if any(case.content.get(v) in members for v in op.inputs):
                stack = case.stack(op.stack)
                for depth, site in enumerate(stack):
                    name = syntax.callee(site)
                    name = (handed_as(stack, depth, name) if name else "") or name
                    if name and not any(name.rpartition(".")[2] in syntax.functions(file) for file in _files(case)):
                        # With all that is read while the call runs, not only on the way to this side.
                        sides[side].setdefault(name, set()).update(case.reads_under.get(stack[depth:], ()))
            fresh = [v for v in op.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return sides


def _nested(case: Case, target: str, online: str) -> bool:
    """Whether one name is called inside the other: a network and its own inner layers are rightly one."""
    for stack in case.reads_under:
        called = {syntax.callee(site) for site in stack}
        if target in called and online in called:
            return True
    return False


def _built_apart(case: Case, target: str, online: str) -> Site | None:
    """Where a second network was to be built, of two names of one kind that were each given a network of their own."""
    if target.rpartition(".")[0] != online.rpartition(".")[0]:
        return None  # a local name of what an attribute holds
    ours, theirs = (list(syntax.bindings(_files(case), name)) for name in (target, online))
    if not ours or not theirs or not all(isinstance(value, ast.Call) for _, value in (*ours, *theirs)):
        return None
    return ours[-1][0] if ours[-1][1] is not theirs[-1][1] else None


def _bound(case: Case, name: str, other: str) -> Site | None:
    """Where a name was bound to the other network."""
    short = name.rpartition(".")[2], other.rpartition(".")[2]
    # Locals of the names that the attributes are given count as well: `reference = policy`, and both are handed on.
    for spoken, meant in dict.fromkeys(((name, other), (short[0], other), short)):
        for site, value in syntax.bindings(_files(case), spoken):
            if sync_source.is_alias(value, meant):
                return site
    return sync_source.inner_binding(_files(case), name, other)


def _last_binding(case: Case, name: str) -> list[Site]:
    found = syntax.bindings(_files(case), name)
    return [site for site, value in found if not (isinstance(value, ast.Constant) and value.value is None)][-1:]


def _files(case: Case) -> list[str]:
    return sorted({site.file for stack in case.recording.stacks for site in stack if site.own})


def _finding(case: Case, members: set[int], bound: Site | None, sync: Site | None, names: list[str]) -> Finding:
    where = bound or sync
    one, other = names[0], names[1]
    text = {"torch": f"copy.deepcopy({other})", "tensorflow": f"keras.models.clone_model({other})"}.get(
        case.recording.framework, "a copy of the parameters that is replaced only now and then"
    )
    steps = [(bound, "=", "one network under two names"), (sync, "copy", "copies the network onto itself")]
    why = "A target network holds still while the online one learns. Here every step of the optimizer moves the targets"
    why += f" too, and the sync{at_line(sync, where)} copies the weights onto themselves." if sync else " too."
    if any(members <= network for _, _, network in held_against_itself(case)):
        why = "The loss holds the one against the other, and they say the same in every update: what is to stay behind "
        why += "moves with every step of the optimizer."
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{one}` and `{other}` are one network: {subject(case, members)}",
        why=why,
        fix=f"make `{one}` a network of its own: {text}" + (
            f", then {one}.set_weights({other}.get_weights())" if case.recording.framework == "tensorflow" else ""
        ),
        variables=case.names(members), where=where,
        label=f"{quoted(where)} makes no second network" if bound is not None else "copies the network onto itself",
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _idle(case: Case, idle: Idle) -> Finding:
    """A target network is kept and synced, and the loss asks the trained one."""
    backward = idle.found.objective.backward
    where, loss = named_call(case, idle.call, idle.originals), case.loss_site(backward)
    where = where or case.seen_from(idle.call.stack, backward.stack)
    steps = [(where, "call", f"the target is computed with `{idle.online}`"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"the target is computed with `{idle.online}`, and `{idle.name}`, which follows it, is never used",
        why="A target network holds still while the online one learns. It is there and kept in step, but the targets "
        f"come from `{idle.online}` and move with every update.",
        fix=f"compute the target with `{idle.name}` in {quoted(where)}",
        variables=case.names(idle.originals), where=where, label=f"this should be `{idle.name}`", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _same(case: Case, same: same_arrays.Same) -> Finding:
    """JAX: after every update the target is what the online network is."""
    what = subject(case, same.members)
    loss = case.loss_site(same.backward)
    steps = [(same.where, "=", same.label), (loss, "loss", "prediction and target are of one network")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the target is computed with the parameters that are being trained: {what}",
        why=f"{same.why} A target network holds still while the online one learns; here it moves with every update.",
        fix=same.fix, variables=case.names(same.members), where=same.where, label=same.label,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
