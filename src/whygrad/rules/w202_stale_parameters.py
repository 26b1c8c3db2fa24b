"""W202 stale-parameters

What it checks
    An optimizer holds variables that nothing computes with any more, while
    the model uses newer ones that no optimizer holds: a layer, a head or the
    whole model was replaced, reloaded or wrapped after the optimizer was
    built, or the name of a picture or a code was given to a new tensor.

Why it matters
    An optimizer keeps the very tensors it was given, not the model. After a
    replacement it goes on with the old ones, which get no gradient, and the
    new ones stay as they were initialised or loaded. Nothing is raised.

Example
    PyTorch
        optimizer = torch.optim.Adam(net.parameters())
        net[-1] = nn.Linear(16, 1)     # a new head
        loss = F.mse_loss(net(states), targets)
        loss.backward()
        optimizer.step()               # the new head keeps its values
    TensorFlow
        mine = net.trainable_variables
        net = keras.Sequential([net.layers[0], keras.layers.Dense(1)])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        grads = tape.gradient(loss, mine)    # the old head: [None, None]
        optimizer.apply_gradients(zip(grads, mine))
    JAX
        state = {"params": params, "step": 0}
        params = init(7, 4, 16, 1)     # new ones; state holds the old
        grads = jax.grad(net_loss)(params)
        state["params"] = jax.tree.map(
            lambda p, g: p - 0.1 * g, state["params"], grads
        )

Instead
    PyTorch
        net[-1] = nn.Linear(16, 1)
        optimizer = torch.optim.Adam(net.parameters())
        loss = F.mse_loss(net(states), targets)
        loss.backward()
        optimizer.step()
    TensorFlow
        net = keras.Sequential([net.layers[0], keras.layers.Dense(1)])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(states) - targets) ** 2)
        mine = net.trainable_variables
        grads = tape.gradient(loss, mine)
        optimizer.apply_gradients(zip(grads, mine))
    JAX
        params = init(7, 4, 16, 1)
        state = {"params": params, "step": 0}
        grads = jax.grad(net_loss)(state["params"])
        params = state["params"] = jax.tree.map(
            lambda p, g: p - 0.1 * g, state["params"], grads
        )

What does not help
    optimizer.load_state_dict(): loads moments and settings, not which tensors
    are held.
    optimizer.zero_grad(), net.zero_grad(): clear gradients, hold nothing new.
    optimizer.add_param_group() for the new ones: trains them, and leaves the
    old ones in memory with their moments. Building the optimizer last is
    cleaner.
    One Keras optimizer for old and new variables: Keras 3 refuses it
    ("Unknown variable"). Make a new optimizer.

When it is meant
    Hardly ever. load_state_dict() and copy_() write into the old tensors and
    are no replacement; they are quiet. Two models that are trained in turn
    need an optimizer each. Otherwise write `# whygrad: ok W202` on the line
    that makes the new variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from whygrad.flow.events import Backward, Step
from whygrad.flow.kept import placed_at
from whygrad.flow.site import Site
from whygrad.flow.syntax import at_node, bindings, function_of
from whygrad.flow.variables import Begun
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.finding import Finding, PathStep, stations
from whygrad.rules.updates.applied_elsewhere import Elsewhere, applied_elsewhere
from whygrad.rules.updates.joined_late import REFUSAL, joined_late
from whygrad.rules.updates.older_content import asked_of_older, read_for
from whygrad.rules.updates.replaced import Replaced
from whygrad.rules.wording import at_line, count, networks, subject, verb

CODE, NAME = "W202", "stale-parameters"
SUMMARY = "the optimizer holds variables that the model no longer uses"

_ROUNDS = 3


def check(case: Case) -> Iterator[Finding]:
    """Old variables in the optimizer, new ones in the model."""
    pair = case.replaced
    if case.recording.framework == "jax":
        yield from _left_behind(case)
        yield from _elsewhere(case)
    if not pair.stale:
        yield from _refused(case)
        later = _replaced_later(case)
        if later is None:
            return
        case, pair = case.over_time, later
    holder = next((o for o in case.recording.optimizers.values() if o.holds & pair.stale), None)
    anew = networks(case, pair.fresh).values()  # of several that were replaced, the first
    first = min(anew, key=lambda members: min(case.variable(v).born for v in members))
    made = _made_at(case, set(first), _made_by(case, pair.stale))
    made = (placed_at(made) if made is not None else None) or made
    built = case.built(holder) if holder is not None else None
    single = case.recording.framework == "torch" and not any(_is_part(case, v) for v in pair.fresh)
    path = [PathStep(built, "optimizer", "the optimizer took the old variables here")] if built is not None else []
    if made is not None:
        got = "the name got a new tensor here" if single else "the model got new variables here"
        path.append(PathStep(made, "creation", got))
    listed = holder is not None and case.recording.framework == "torch" and _came_before(case, pair.fresh, holder.at)
    holds = "was given" if listed else "still holds"
    holds = f"the optimizer{at_line(built, made)} {holds}" if built is not None else "the training step still asks for"
    if listed:
        why = "The list that the optimizer was given was made before a layer or a model was replaced."
        fix = "list the parameters after the last replacement, or give the optimizer model.parameters()"
    elif single:
        why = "An optimizer keeps the very tensors it was given. The name belongs to a new one since; the old one gets "
        why += "no gradient any more."
        name = case.names(pair.fresh)[0]
        fix = f"change the values in place, under torch.no_grad(): {name}.copy_(…), {name}.clamp_(…)"
    elif built is not None and _asked_by_list(case, pair):
        why = "The gradient is asked of a list that was made before. A layer or a model that is replaced brings "
        why += "variables that are not in it."
        fix = "take the list from the model again after the replacement, with a new optimizer for it (Keras 3 refuses "
        fix += "new variables); or keep the layers, and give them new numbers with set_weights()"
    elif built is not None:
        why = "An optimizer keeps the very tensors it was given. Replacing a layer or a model afterwards leaves it "
        why += "with the old ones."
        fix = "build the optimizer after the model is complete: replaced, loaded, moved, wrapped"
    else:
        why = "A list of variables names the ones that were there when it was made. A layer or a model that replaces "
        why += "them brings new ones."
        fix = "take the list from the model at every step (model.trainable_variables), not once at the start"
    before = "optimizer was built" if built is not None and not listed else "old ones were listed"
    user = "loss" if single else "model"
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{holds} {count(len(pair.stale), 'variable')} that the {user} no longer uses; "
        f"{subject(case, pair.fresh)} {verb(pair.fresh, case, 'is', 'are')} trained by nobody",
        why=why, fix=fix, variables=case.names(pair.fresh), where=made or built,
        label=f"{'a new tensor' if single else 'new variables'}, made after the {before}",
        path=tuple(path),
    )  # fmt: skip


def _is_part(case: Case, variable: int) -> bool:
    """Whether it is a parameter, or belongs to a module: what a line binds anew is a tensor of its own."""
    return case.variable(variable).parameter or bool(case.variable(variable).model)


def _asked_by_list(case: Case, pair: Replaced) -> bool:
    """TensorFlow: whether a tape is still asked for the gradient of the old ones, by a list that names them."""
    made = max(case.variable(v).born for v in pair.fresh)
    later = [b for b in case.recording.backwards if b.at > made]
    return case.recording.framework == "tensorflow" and any(pair.stale <= set(b.wanted) for b in later)


def _replaced_later(case: Case) -> Replaced | None:
    """Layers that were replaced after the first updates: in PyTorch each by one of its name."""
    late = case.over_time
    if case.recording.framework == "jax" or late is case or not late.replaced.fresh:
        return None
    if case.recording.framework == "tensorflow":
        last = late.used_by(late.recording.backwards[-1])
        return Replaced(late.replaced.stale, late.replaced.fresh & last)
    held = {v for optimizer in late.recording.optimizers.values() for v in optimizer.holds}
    before = {late.variable(v).name: v for v in held if v not in late.replaced.fresh}
    # A layer that is replaced again and again (with every new task): the last one of its name.
    newest = {late.variable(v).name: v for v in sorted(late.replaced.fresh, key=lambda v: late.variable(v).born)}
    old = {before[name] for name in newest if name in before}
    since = min(late.variable(v).born for v in late.replaced.fresh)
    gone = not any(old & b.got for b in late.recording.backwards if b.at > since)
    return Replaced(frozenset(old), frozenset(newest.values())) if gone and len(old) == len(newest) else None


def _came_before(case: Case, fresh: frozenset[int], at: int) -> bool:
    """Whether the new variables were there already when the optimizer was built: it was given an old list."""
    return all(case.variable(v).born < at for v in fresh)


def _made_by(case: Case, variables: set[int] | frozenset[int]) -> set[Site]:
    """All lines that were at work when these were made."""
    return {site for v in variables for site in case.stack(case.variable(v).created)}


def _made_at(case: Case, fresh: set[int], shared: set[Site]) -> Site | None:
    """Where the new variables were made: in a builder that made the old ones too, the call that made the new ones."""
    made = created_at(case, fresh)
    if made is None:
        return None
    stack = next((s for v in sorted(fresh) if made in (s := case.stack(case.variable(v).created))), (made,))
    around = stack.index(made)
    inward = (site for site in reversed(stack[: around + 1]) if site not in shared)  # one constructor made both
    return next(inward, None) or next((site for site in stack[around:] if site not in shared), made)


def _refused(case: Case) -> Iterator[Finding]:
    """Keras: the optimizer was built for other variables, and says so."""
    if joined_late(case) is not None:
        return  # W201: the old ones are still there, others have come to them
    for step in case.recording.steps:
        if step.error is None or REFUSAL not in step.error:
            continue
        new = {v for v in step.applied | step.without if case.variable(v).born}
        old = {v for s in case.recording.steps if s.at < step.at for v in s.applied} - new
        made, asked = _made_at(case, new, _made_by(case, old)), case.site(step.stack)
        steps = [(made, "creation", "the new variables"), (asked, "apply", "refused here")]
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message="the optimizer was built for other variables than "
            f"{' and '.join(f'`{name}`' for name in networks(case, new or set(step.applied)))} has now",
            why="A Keras optimizer keeps a slot for every variable it was built with; a rebuilt or reloaded "
            "model has new ones.",
            fix="make a new optimizer for the new model, or keep the model and copy weights into it with set_weights()",
            variables=case.names(new), where=made or asked, label="new variables, made after the optimizer was built",
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        )  # fmt: skip
        return


def left_behind(case: Case) -> set[int]:
    """JAX: variables whose gradient is asked for together with that of parameters which no update reaches."""
    return {v for _, _, asked in _behind(case) for v in asked.got}


def _behind(case: Case) -> Iterator[tuple[list[Step], set[int], Backward]]:
    """The updates go on and on in one place, and the gradient is taken at the first parameters every time."""
    recording = case.recording
    misasked = {v for older in asked_of_older(case) for v in older.variables}  # W204: the loss does use the new ones
    for optimizer in recording.optimizers:
        steps = [s for s in recording.steps if s.optimizer == optimizer and s.error is None]
        if len(steps) < _ROUNDS:
            continue
        members, asked = set(), None
        for variable, first in steps[0].before.items():
            if variable in misasked:
                continue
            chain = [s for s in steps if variable in s.before]
            moves = all(b.before[variable] == a.after[variable] for a, b in pairwise(chain))
            reads = [read_for(case, variable, s) for s in chain]
            if len(chain) >= _ROUNDS and moves and all(b is not None and b.read[variable] == first for b in reads):
                members.add(variable)
                asked = reads[-1]
        if members and asked is not None:
            yield steps, members, asked


def _left_behind(case: Case) -> Iterator[Finding]:
    """JAX: a copy is updated, and the loss goes on with the original."""
    for steps, members, asked in _behind(case):
        where, taken = case.site(steps[1].stack), case.site(asked.stack)
        built = _kept_at(case, {steps[0].before[v] for v in members})
        if built is not None:
            yield _copy_kept(case, members, asked, built, steps)
            continue
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the updates{at_line(where)} never reach {subject(case, members)}: the gradient"
            f"{at_line(taken, where)} is taken at the first values each time",
            why="Two names began with the same arrays. The update gives one of them new arrays, and the gradient is "
            "still computed from the other, which keeps the old ones.",
            fix="keep one name for the parameters: compute the gradient from what the last update returned",
            variables=case.names(members), where=where, label="this updates a copy that the loss does not use",
            loss=case.loss_site(asked),
            path=tuple(PathStep(site, op, role) for site, op, role in [
                (taken, "grad", "the gradient of the old parameters"), (where, "update", "applied to the new ones"),
            ] if site is not None),
            seen=len(steps),
        )  # fmt: skip


def _kept_at(case: Case, first: set[int]) -> Site | None:
    """Where an optimizer was made that keeps these arrays itself, and is given nothing but gradients after that."""
    begun = next((b for b in case.recording.begun if b.keeps and b.values & first), None)
    return case.site(begun.stack) if begun is not None else None


def _copy_kept(case: Case, members: set[int], asked: Backward, built: Site, steps: list[Step]) -> Finding:
    """JAX: the optimizer was made for a copy of the model, and updates that."""
    taken, where = case.site(asked.stack), case.site(steps[1].stack)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the optimizer{at_line(built)} holds a copy of {subject(case, members)}: no update reaches the one "
        f"that the gradient{at_line(taken, built)} is taken at",
        why="This optimizer keeps the model that it was made for, and updates that. The loss is computed with another "
        "one, which keeps its first values.",
        fix="make the optimizer for the model itself, not for a copy of it",
        variables=case.names(members), where=built, label="made for a copy that the loss does not use",
        loss=case.loss_site(asked), seen=len(steps),
        path=stations(
            (built, "optimizer", "the optimizer took a copy here"),
            (taken, "grad", "the gradient of the old parameters"),
            (where, "update", "applied to the copy"),
        ),
    )  # fmt: skip


def _elsewhere(case: Case) -> Iterator[Finding]:
    """JAX: the gradient is taken at parameters that nobody updates, and applied to others that nothing uses."""
    for one in applied_elsewhere(case):
        if one.in_use:
            continue  # W204: the gradient was asked of the wrong ones
        where, members = case.site(one.steps[0].stack), one.variables
        taken, made = case.site(one.backward.stack), _made_anew(case, one)
        if made is not None:
            yield _begun_before(case, one, *made)
            continue
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the gradient of {subject(case, members)} is applied{at_line(where)} to other parameters, which "
            f"no loss uses: {verb(members, case, 'it', 'they')} never {verb(members, case, 'moves', 'move')}",
            why=f"The gradient{at_line(taken, where)} is taken at the same values each time. What the update changes "
            "is another set of arrays of the same shapes.",
            fix="keep one set of parameters: take the gradient at those that the update returns",
            variables=case.names(members), where=where, label="this updates parameters that the loss does not use",
            loss=case.loss_site(one.backward),
            path=tuple(PathStep(site, op, role) for site, op, role in [
                (taken, "grad", "the gradient is taken here"), (where, "update", "and applied to others here"),
            ] if site is not None),
            seen=len(one.steps),
        )  # fmt: skip


def _made_anew(case: Case, one: Elsewhere) -> tuple[Begun, Site] | None:
    """The optimizer that was begun for what the updates change, and where the others were made after that."""
    first = {one.steps[0].before[v] for v in one.variables if v in one.steps[0].before}
    begun = next((b for b in case.recording.begun if b.values & first), None)
    if begun is None or any(case.variable(v).born <= begun.at for v in one.variables):
        return None
    before = [case.made_by[value] for value in first if value in case.made_by]
    made = _made_at(case, one.variables, {site for op in before for site in case.stack(op.stack)})
    if made is not None and made in case.stack(one.backward.stack):
        made = _bound_anew(case, one, made) or made
    return (begun, made) if made is not None else None


def _bound_anew(case: Case, one: Elsewhere, asked: Site) -> Site | None:
    """What the training step is the first to see (NumPy made it, a file held it): where its name was given to it."""
    names = {case.variable(v).network for v in one.variables}
    given = [pair for name in names for pair in bindings([asked.file], name) if pair[0].line < asked.line]
    given = [pair for pair in given if function_of(pair[0]) is function_of(asked)]
    last = max(given, key=lambda pair: pair[0].line, default=None)
    return at_node(asked, last[1]) if last is not None else None


def _begun_before(case: Case, one: Elsewhere, begun: Begun, made: Site) -> Finding:
    """JAX: the parameters were made anew after the optimizer had been begun for the first ones."""
    members, built, where = one.variables, case.site(begun.stack), case.site(one.steps[0].stack)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the optimizer{at_line(built, made)} still holds {count(len(members), 'variable')} that no loss uses; "
        f"{subject(case, members)} {verb(members, case, 'is', 'are')} trained by nobody",
        why="An optimizer that holds the parameters goes on with the ones it was given. A model that is made anew "
        "afterwards has others.",
        fix="make the optimizer after the model, or take the gradient at the parameters that the optimizer holds",
        variables=case.names(members), where=made, label="new variables, made after the optimizer was built",
        loss=case.loss_site(one.backward),
        path=stations(
            (built, "optimizer", "the optimizer took the old variables here"),
            (made, "creation", "the model got new variables here"),
            (where, "update", "the old ones are updated here"),
        ),
        seen=len(one.steps),
    )  # fmt: skip
