"""W109 frozen

What it checks
    What an optimizer is given to train is switched off: requires_grad=False
    in PyTorch, trainable=False in TensorFlow and Keras. An error where
    nothing is left to train, a warning where a part is frozen, a note where
    the frozen part was loaded from a checkpoint or holds adapters. In Keras
    also one layer with random values that is frozen among those that learn;
    in JAX a mask or labels that leave an Optax optimizer nothing to train,
    and a filter of Equinox that leaves the gradient no array.

Why it matters
    PyTorch computes no gradient for a frozen parameter, and the optimizer
    passes over it without a word. A tape does not watch a frozen
    tf.Variable. Keras leaves a frozen layer out of trainable_variables.
    Often the freezing was for one phase and was not undone.

Example
    PyTorch
        body.requires_grad_(False)     # for a warm-up, and never undone
        optimizer = torch.optim.Adam(
            [*body.parameters(), *value_head.parameters()]
        )
        loss = F.mse_loss(value_head(body(states)), targets)
        loss.backward()                # body: every .grad stays None
        optimizer.step()
    TensorFlow
        net.trainable = False
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)    # []
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
        # ValueError: not enough values to unpack
    JAX
        tx = optax.multi_transform(
            {"train": optax.sgd(0.1), "freeze": optax.set_to_zero()},
            jax.tree.map(lambda _: "freeze", params),    # and none to train
        )
        grads = jax.grad(net_loss)(params)
        updates, _ = tx.update(grads, tx.init(params))
        params = optax.apply_updates(params, updates)    # adds zeros

Instead
    PyTorch
        body.requires_grad_(True)
        optimizer = torch.optim.Adam(
            [*body.parameters(), *value_head.parameters()]
        )
        loss = F.mse_loss(value_head(body(states)), targets)
        loss.backward()
        optimizer.step()
    TensorFlow
        net.trainable = True
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
    JAX
        labels = jax.tree.map(lambda _: "freeze", params)
        labels[-1] = jax.tree.map(lambda _: "train", params[-1])
        tx = optax.multi_transform(
            {"train": optax.sgd(0.1), "freeze": optax.set_to_zero()}, labels
        )
        grads = jax.grad(net_loss)(params)
        updates, _ = tx.update(grads, tx.init(params))
        params = optax.apply_updates(params, updates)

What does not help
    net.train(): switches dropout and batch normalisation. It does not thaw.
    loss.requires_grad = True: silences the error, trains nothing.
    A higher learning rate: multiplies nothing.
    Thawing after the optimizer was built from the unfrozen ones only
    (filter(lambda p: p.requires_grad, ...)): it does not hold them (W201).
    layer.trainable = True after model.compile(): call compile() again.
    Giving net.variables to apply_gradients: Keras 3 then trains the frozen
    layers as well, whatever their flag says.

When it is meant
    Transfer learning, LoRA, a pretrained encoder: give the optimizer the rest
    only, [p for p in net.parameters() if p.requires_grad] or
    net.trainable_variables. Otherwise write `# whygrad: ok W109` on the line
    that freezes.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import GivenNothing
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.fixed_partner import only_compared
from whygrad.rules.cuts.frozen_within import frozen_within
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.cuts.never_thawed import never_thawed
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.updates.asked_for_nothing import asked_of_no_array
from whygrad.rules.updates.zero_updates import zero_updates
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W109", "frozen"
SUMMARY = "requires_grad=False or trainable=False on what the optimizer is given to train"


def check(case: Case) -> Iterator[Finding]:
    """Variables that an optimizer holds and that are switched off."""
    recording = case.recording
    given = case.held or {v for o in recording.optimizers.values() for v in o.holds}
    given = given | {v for b in recording.backwards if not b.implicit for v in b.wanted}
    # What had a gradient before is frozen for a while only: around another network's update.
    had = {v for b in recording.backwards for v in b.got}
    frozen = {v for v in given if not recording.variables[v].trainable} - case.trained - had
    frozen = {v for v in frozen if not any(case.asks(b, v) for b in recording.backwards if not b.implicit)}
    fatal = _stops_everything(case)
    for members in _by_line(case, frozen | fatal | never_thawed(case)):
        if _for_a_while(case, members):
            continue
        yield _finding(case, members, "error" if members & fatal else _severity(case, members))
    for members in _by_line(case, frozen_within(case) - frozen - fatal):
        yield _within(case, members)
    for refused in recording.given_nothing:
        if refused.frozen and not refused.hidden and not refused.used_up:
            yield _nothing_left(case, refused)
    yield from (found for found in (*zero_updates(case), *asked_of_no_array(case)) if found.code == CODE)


def _stops_everything(case: Case) -> set[int]:
    """Frozen variables of a loss that has nothing left to train: backward() fails, or the list to train is empty."""
    recording = case.recording
    held = {v for o in recording.optimizers.values() for v in o.holds}
    found: set[int] = set()
    for backward in recording.backwards:
        failed = backward.error is not None and "does not require grad" in backward.error
        empty = backward.tape is not None and not backward.wanted and not backward.asked_values
        if backward.loss is None or not (failed or empty):
            continue
        part = case.slice(backward)
        values = part.values if empty else reach.smooth_to_loss(recording, part, None)
        on_way = {recording.values[v].variable for v in values if v in recording.values}
        off = {v for v in on_way if v is not None and not recording.variables[v].trainable and (empty or v in held)}
        meant = {v for lost in missing_gradients(case) if lost.backward is backward for v in lost.variables}
        if any(recording.variables[v].trainable for v in meant):
            off -= case.trained  # a critic that is frozen for the actor's loss alone, which does not reach the actor
        found |= off
    return found


def _for_a_while(case: Case, members: set[int]) -> bool:
    """PyTorch: whether the program ended in the very function that froze these, over a loss that is cut for others.

    Around one network's loss the others are often frozen, and thawed behind it.
    """
    variables = case.recording.variables
    lost = [one for one in missing_gradients(case) if one.backward.error is not None and one.cuts]
    if case.recording.framework != "torch" or not any(variables[v].trainable for one in lost for v in one.variables):
        return False
    ended = {(site.file, site.first_line) for one in lost for site in case.stack(one.backward.stack)}
    off = {variables[v].frozen for v in members}
    sites = [case.site(stack) for stack in off if stack is not None]
    return None not in off and all(site is not None and (site.file, site.first_line) in ended for site in sites)


def _by_line(case: Case, frozen: set[int]) -> list[set[int]]:
    groups: dict[int | str | None, set[int]] = {}
    for variable in frozen:
        key = case.variable(variable).frozen
        groups.setdefault(key if key is not None else case.variable(variable).network, set()).add(variable)
    return list(groups.values())


def _severity(case: Case, members: set[int]) -> Severity:
    """An error where nothing is left to train; a note where weights were loaded or adapters train among them."""
    recording = case.recording
    given = [o.holds for o in recording.optimizers.values() if o.holds & members]
    if any(all(not recording.variables[v].trainable for v in holds) for holds in given):
        return "error"
    if any(members & set(b.wanted) for b in recording.backwards if not b.implicit):
        return "error"  # its gradient is asked for by name
    if any(
        len(o.groups) > 1 and group and group <= members for o in recording.optimizers.values() for group in o.groups
    ):
        return "warning"  # a learning rate of its own, and nothing to learn
    if all(case.variable(v).copied for v in members) or _among_adapters(case, members):
        return "note"
    if only_compared(case, members):
        return "note"  # a teacher, a fixed random network: it is there to be compared with
    return "warning"


def _among_adapters(case: Case, members: set[int]) -> bool:
    """LoRA and its kin: trainable variables sit inside, or right beside, what is frozen."""
    owners = [case.variable(v).owner.split(".") for v in members if case.variable(v).owner]
    if not owners:
        return False
    shared = owners[0]
    for owner in owners[1:]:
        shared = shared[: next((i for i, (a, b) in enumerate(zip(shared, owner, strict=False)) if a != b), len(shared))]
    trainable = [v.owner.split(".") for v in case.recording.variables.values() if v.trainable and v.parameter]
    if not shared:
        return False
    inside = any(owner[: len(shared)] == shared for owner in trainable)
    parent = shared[:-1]
    beside = len(parent) > 1 and any(owner[: len(parent)] == parent for owner in trainable)
    own_parameter = bool(parent) and any(owner == parent for owner in trainable)
    return inside or beside or own_parameter


def _filled_at(case: Case, members: set[int]) -> Site | None:
    """PyTorch: the line that made a plain tensor, which nothing but the optimizer takes for a variable."""
    values = case.recording.values.values()
    made = [op for value in values if value.variable in members and (op := case.made_by.get(value.id)) is not None]
    return case.site(min(made, key=lambda op: op.at).stack) if made else None


def _finding(case: Case, members: set[int], severity: Severity) -> Finding:
    line = next((case.variable(v).frozen for v in sorted(members) if case.variable(v).frozen is not None), None)
    where = case.site(line) if line is not None else created_at(case, members) or _filled_at(case, members)
    torch = case.recording.framework == "torch"
    flag = "requires_grad=False" if torch else "trainable=False"
    holder = next((o for o in case.recording.optimizers.values() if o.holds & members), None)
    made = case.built(holder) if holder is not None else None
    path = [PathStep(where, flag, "frozen here")] if where is not None else []
    where = where or made
    if made is not None:
        path.append(PathStep(made, "optimizer", "and given to this optimizer"))
    fix = "requires_grad_(True)" if torch else "trainable = True (before compile and before the variables are listed)"
    are, its = verb(members, case, "is", "are"), verb(members, case, "its", "their")
    asked = any(members & set(b.wanted) for b in case.recording.backwards)
    if holder is not None:
        state = f"{are} given to the optimizer{at_line(made, where)} but frozen"
    elif asked:
        state = f"{are} asked for {its} gradient but frozen"
    else:
        state = f"{are} frozen, and the loss has nothing else to train"
    fix = f"set {fix} on it, or do not give it to the optimizer if it is meant to stay as it is"
    if members <= never_thawed(case):
        why = "It is frozen for another loss and not thawed behind it: from its next update on no gradient is "
        why += "computed, and the optimizer passes over it without a word."
        fix = "set requires_grad_(True) on it again behind the step of that other loss"
    elif torch:
        why = "With requires_grad=False no gradient is computed, and the optimizer passes over it without a word."
    elif asked:
        why = "A tape does not watch a variable made with trainable=False, so its gradient is None."
    else:
        why = "With trainable=False a variable is left out of trainable_variables, so nobody asks for its gradient."
    return Finding(
        code=CODE, rule=NAME, severity=severity,
        message=f"{subject(case, members)} {state}",
        why=why,
        fix=fix,
        variables=case.names(members), where=where, label=f"{flag} from here on", path=tuple(path),
    )  # fmt: skip


def _within(case: Case, members: set[int]) -> Finding:
    """Keras: one layer among others that learn."""
    line = next(case.variable(v).frozen for v in sorted(members))
    where, are, its = case.site(line), verb(members, case, "is", "are"), verb(members, case, "its", "their")
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{subject(case, members)} {are} frozen, and the layers before {verb(members, case, 'it', 'them')} "
        "learn",
        why=f"With trainable=False it is left out of trainable_variables, so nobody asks for {its} gradient: it keeps "
        f"{its} first, random values, and what learns has to get by with them.",
        fix="leave trainable=False out, or load the weights that are to stay as they are",
        variables=case.names(members), where=where, label="trainable=False from here on",
        path=(PathStep(where, "trainable=False", "frozen here"),) if where is not None else (),
    )  # fmt: skip


def _nothing_left(case: Case, refused: GivenNothing) -> Finding:
    """PyTorch: an optimizer is given what is not frozen, and everything is."""
    members = set(refused.frozen)
    refuses = case.site(refused.stack)
    line = next((case.variable(v).frozen for v in sorted(members) if case.variable(v).frozen is not None), None)
    where = case.site(line) if line is not None else refuses
    steps = [(where, "requires_grad=False", "frozen here"), (refuses, "optimizer", "gets an empty list")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, members)} {verb(members, case, 'is', 'are')} frozen, and nothing is left for the "
        f"optimizer{at_line(refuses, where)}",
        why="It is given what asks for a gradient, and with requires_grad=False nothing does: the list is empty, and "
        "PyTorch refuses to build the optimizer.",
        fix="set requires_grad_(True) on what is to learn, or put a new layer in the place of the last one after the "
        "others were frozen",
        variables=case.names(members), where=where, label="requires_grad=False from here on",
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
