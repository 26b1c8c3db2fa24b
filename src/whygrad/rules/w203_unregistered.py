"""W203 unregistered

What it checks
    The forward pass uses layers that the model does not list among its own:
    in a plain list, dict or tuple (PyTorch), in a plain object, made inside
    call() or used by the function of a Lambda layer (Keras), in a static
    field (Equinox) or a plain object (Equinox, Flax NNX). They get a
    gradient, and no optimizer holds them; in JAX they are constants. Flax NNX
    refuses layers in a plain list, dict or tuple ("Found unexpected data").
    Where all layers are hidden so, PyTorch refuses to build the optimizer
    ("got an empty parameter list"). In PyTorch too a parameter of which the
    model keeps a result only (`nn.Parameter(x).to(device)`), and a weight
    that is a plain tensor, drawn at random, beside a bias that is trained.

Why it matters
    parameters() and trainable_variables list what is registered. What is not
    gets into no optimizer and no checkpoint, and is not moved by .to(device).
    The network runs, and a part of it stays random for ever.

Example
    PyTorch
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 16)
                self.heads = [nn.Linear(16, 1), nn.Linear(16, 1)]
            def forward(self, x):
                return sum(head(self.body(x)) for head in self.heads)
        net = Net()
        optimizer = torch.optim.Adam(net.parameters())    # without heads
        F.mse_loss(net(states), targets).backward()
        optimizer.step()
    TensorFlow
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.body = keras.layers.Dense(16)
                self.parts = SimpleNamespace(head=keras.layers.Dense(1))
            def call(self, x):
                return self.parts.head(self.body(x))
        net = Net()
        net(states)
        len(net.trainable_variables)           # 2: the body alone
    JAX
        class Net(eqx.Module):
            body: eqx.nn.Linear
            head: eqx.nn.Linear = eqx.field(static=True)
            def __init__(self, key):
                self.body = eqx.nn.Linear(4, 16, key=key)
                self.head = eqx.nn.Linear(16, 1, key=key)
            def __call__(self, x):
                return self.head(jnp.tanh(self.body(x)))
        net = Net(jax.random.key(0))
        len(jax.tree.leaves(net))              # 2: the body alone

Instead
    PyTorch
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 16)
                self.heads = nn.ModuleList(
                    [nn.Linear(16, 1), nn.Linear(16, 1)]
                )
            def forward(self, x):
                return sum(head(self.body(x)) for head in self.heads)
        net = Net()
        optimizer = torch.optim.Adam(net.parameters())
        F.mse_loss(net(states), targets).backward()
        optimizer.step()
    TensorFlow
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.body = keras.layers.Dense(16)
                self.parts = {"head": keras.layers.Dense(1)}
            def call(self, x):
                return self.parts["head"](self.body(x))
        net = Net()
        net(states)
        len(net.trainable_variables)           # 4
    JAX
        class Net(eqx.Module):
            body: eqx.nn.Linear
            head: eqx.nn.Linear
            def __init__(self, key):
                self.body = eqx.nn.Linear(4, 16, key=key)
                self.head = eqx.nn.Linear(16, 1, key=key)
            def __call__(self, x):
                return self.head(jnp.tanh(self.body(x)))
        net = Net(jax.random.key(0))
        len(jax.tree.leaves(net))              # 4

What does not help
    requires_grad_(True) on the layers: they have it. They are not listed.
    Adding their parameters to the optimizer by hand: trains them, and leaves
    them out of state_dict(), .to(device), train() and eval().
    A tuple or a dict in place of the list: nn.Module looks into neither. Use
    nn.ModuleList, nn.ModuleDict or nn.ParameterList.
    Keras does look into lists, tuples and dicts that are attributes of the
    model; it does not look into other objects, nor into the function of a
    Lambda layer.

When it is meant
    A reference to a foreign network (a target, a teacher) is often kept in a
    list so that the model does not list it: freeze it, or run it under
    torch.no_grad() or jax.lax.stop_gradient, and it is quiet. A random table
    that is to stay: keep it with register_buffer(). Otherwise write
    `# whygrad: ok W203` on the line that makes the layers.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.containers import put_into
from whygrad.flow.events import GivenNothing
from whygrad.flow.operations import Op
from whygrad.flow.site import Site, Stack
from whygrad.flow.source import expression
from whygrad.flow.syntax import assigned_in
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.hidden_layers import hidden_layers
from whygrad.rules.updates.lambda_weights import lambda_weights, taken_in_by_lambda
from whygrad.rules.updates.plain_variables import plain_variables
from whygrad.rules.updates.plain_weights import PlainWeight, plain_weights
from whygrad.rules.updates.refused_layers import refused_layers
from whygrad.rules.updates.replaced import UNNAMED
from whygrad.rules.wording import networks, quoted, subject, verb

CODE, NAME = "W203", "unregistered"
SUMMARY = "layers the model does not track: in a plain list, a dict, an object"


def check(case: Case) -> Iterator[Finding]:
    """Layers in use that the model's own list of parameters does not contain."""
    recording = case.recording
    hidden = {v for v in case.unheld - recording.hand_updated if not recording.variables[v].registered}
    for where, group in _made_at_each_call(case, hidden).items():
        hidden -= group
        yield _made_at_each_call_finding(case, group, where)
    for network, members in networks(case, hidden).items():
        yield _finding(case, network, set(members), _kept_at(case, set(members)))
    yield from lambda_weights(case)
    for refused in recording.given_nothing:
        if refused.hidden and not refused.used_up:
            yield _listed_nothing(case, refused)
    for (network, where), group in _of_objects(case).items():
        yield _finding(case, network, group, where, in_object=True)
    for (network, where), (group, op) in made_over(case).items():
        yield _made_over_finding(case, network, group, where, op)
    for plain in plain_weights(case):
        yield _plain_weight(case, plain)
    yield from plain_variables(case)
    yield from refused_layers(case)
    yield from hidden_layers(case)


def in_objects(case: Case) -> set[int]:
    """Variables kept where their model does not look: in a plain object, behind a result, by a Lambda's function."""
    kept = {v for members in (*_of_objects(case).values(), *taken_in_by_lambda(case).values()) for v in members}
    return kept | {v for members, _ in made_over(case).values() for v in members}


def made_over(case: Case) -> dict[tuple[str, Site], tuple[set[int], Op]]:
    """PyTorch: `self.w = nn.Parameter(…).to(dtype)`: the model keeps what an operation made of a parameter.

    By the network and the line; with the operation, in an `__init__` that made layers which are trained.
    """
    recording = case.recording
    found: dict[tuple[str, Site], tuple[set[int], Op]] = {}
    if recording.framework != "torch":
        return found
    loose = {v for v in case.unheld - recording.hand_updated if recording.variables[v].network == UNNAMED}
    loose = {v for v in loose if recording.variables[v].parameter}
    builders = {
        (site.file, site.function): variable.network
        for variable in recording.variables.values()
        if loose and variable.model and variable.id in case.trained
        for site in case.stack(variable.created)
        if site.function.endswith("__init__")
    }
    for op in recording.ops.values() if builders else ():
        members = {case.content[n] for n in op.inputs if case.content.get(n) in loose}
        site = case.site(op.stack) if members and op.carries else None
        network = builders.get((site.file, site.function)) if site is not None else None
        if site is not None and network is not None:
            loose -= members
            found.setdefault((network, site), (set(), op))[0].update(members)
    return found


def _made_over_finding(case: Case, network: str, group: set[int], where: Site, op: Op) -> Finding:
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the parameter of {quoted(where)} is used by `{network}` but not registered with it",
        why=f"`{op.name}` returns a new tensor, computed from the parameter, and that is what the model keeps. Only an "
        f"nn.Parameter itself is registered: {network}.parameters() leaves this one out, and what was computed from it "
        "stays as it is.",
        fix="assign the nn.Parameter itself, and convert what goes into it: nn.Parameter(torch.ones(n).to(device))",
        variables=case.names(group), where=where, label="keeps a result, not the parameter",
        path=(PathStep(where, op.name, "made of a parameter here"),),
    )  # fmt: skip


def _plain_weight(case: Case, found: PlainWeight) -> Finding:
    used, bias = case.site(found.used.stack), case.names({found.bias})[0]
    network = case.variable(found.bias).network
    steps = [(found.where, "creation", "a plain tensor"), (used, found.used.name, "the layer multiplies by it")]
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"the weight of `{bias}` is a plain tensor: `{network}` does not train it",
        why=f"`{found.name}` is drawn at random and multiplied with what the layer is given; the bias that is added is "
        f"trained. Only an nn.Parameter is registered: {network}.parameters() leaves this tensor out, no gradient is "
        "computed for it, and it keeps its first values.",
        fix=f"{found.name} = nn.Parameter(…); if it is to stay as it is: self.register_buffer(…)",
        variables=(), where=found.where, label="no parameter of the model",
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _made_at_each_call(case: Case, hidden: set[int]) -> dict[Site, set[int]]:
    """Layers that one line makes again and again, with a backward pass in between, by the first line of its function.

    What a loop in `__init__` makes comes into being all at once, before anybody asks for a gradient.
    """
    alike: dict[tuple[Stack, tuple[int | None, ...]], list[int]] = {}
    for number in sorted(hidden):
        one = case.variable(number)
        if one.created is not None and one.born:
            alike.setdefault((case.stack(one.created), one.shape), []).append(number)
    groups: dict[tuple[str, str], tuple[list[Site], set[int]]] = {}
    for (stack, _), members in alike.items():
        born = [case.variable(v).born for v in members]
        if stack and any(min(born) < b.at < max(born) for b in case.recording.backwards):
            sites, group = groups.setdefault((stack[0].file, stack[0].function), ([], set()))
            sites.append(stack[0])
            group.update(members)
    return {min(sites, key=lambda site: site.line): group for sites, group in groups.values()}


def _made_at_each_call_finding(case: Case, group: set[int], where: Site) -> Finding:
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(where)} makes a new layer at each call of `{where.function}`: no model keeps it",
        why="A new layer has new random weights. They get a gradient, nobody lists them, and before the next update "
        f"they are gone: {len(group)} variables were made here so far, and none of them was trained.",
        fix="make the layer once, in __init__, keep it as an attribute (self.…), and call that one here",
        variables=case.names(group), where=where, label="a new layer, at each call",
        path=(PathStep(where, "creation", "made here, again and again"),),
    )  # fmt: skip


def _of_objects(case: Case) -> dict[tuple[str, Site], set[int]]:
    """Layers that come into being in the `__init__` of a trained model and are no part of it, by the line there."""
    recording = case.recording
    found: dict[tuple[str, Site], set[int]] = {}
    if recording.framework != "torch":
        return found
    models = {v.model: v.network for v in recording.variables.values() if v.model and v.id in case.trained}
    for number in sorted(case.unheld - recording.hand_updated):
        one = recording.variables[number]
        if not one.registered or one.copied or one.model in models or one.network in models.values():
            continue
        for index, site in enumerate(case.stack(one.created)):
            name, _, method = site.function.rpartition(".")
            if method == "__init__" and name in models:
                if one.model and _inherited(case.stack(one.created), index, one.model):
                    break
                found.setdefault((models[name], site), set()).add(number)
                break
    return found


def _inherited(stack: Stack, index: int, model: str) -> bool:
    """Whether the `__init__` at this place ran for a class that is derived from it, and made layers of that one."""
    return index == 0 or any(site.function == f"{model}.__init__" for site in stack[index + 1 :])


def _finding(case: Case, network: str, group: set[int], where: Site | None, in_object: bool = False) -> Finding:
    torch = case.recording.framework == "torch"
    who = f"{subject(case, group)} {verb(group, case, 'is', 'are')}"
    if in_object:
        many = f"{len(group)} variables" if len(group) > 1 else "1 variable"
        who = f"what {quoted(where)} makes ({many}) is"
    path = [PathStep(where, "creation", "made here")] if where is not None else []
    listed = f"{network}.parameters()" if torch else f"{network}.trainable_variables"
    fix = (
        "make the class of this object an nn.Module (super().__init__() first), so that the model can look into it"
        if in_object
        else "keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList"
        if torch
        else "make the layers in __init__ and keep them as attributes of the model (lists and dicts are tracked there)"
    )
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{who} used by `{network}` but not registered with it",
        why=f"`{network}` does not look into plain {'objects' if in_object else 'containers'}, so {listed} leaves "
        "these out: no optimizer "
        "gets them, no "
        "checkpoint saves them.",
        fix=fix, variables=case.names(group), where=where, label="layers in here are invisible to the model",
        path=tuple(path),
    )  # fmt: skip


def _listed_nothing(case: Case, refused: GivenNothing) -> Finding:
    """PyTorch: every layer of the model is in a plain container, and the optimizer got an empty list."""
    members = set(refused.hidden)
    file, keeper, attribute = refused.hidden[min(members)]
    where = (
        _made_in(case, members, keeper) or assigned_in(file, keeper, f"self.{attribute}") or created_at(case, members)
    )
    made, refuses = created_at(case, members), case.site(refused.stack)
    steps = [(made, "creation", "made here"), (refuses, "optimizer", "gets an empty list")]
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, members)} {verb(members, case, 'is', 'are')} not registered: `{keeper}` keeps its "
        f"layers in `self.{attribute}`, and parameters() is empty",
        why=f"nn.Module does not look into plain containers, so parameters() of `{keeper}` lists nothing and PyTorch "
        "refuses to build the optimizer.",
        fix="keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList",
        variables=case.names(members), where=where or refuses, label="layers in here are invisible to the model",
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _kept_at(case: Case, members: set[int]) -> Site | None:
    """The line in the model's own class that made the layers, else the line that made them."""
    return _made_in(case, members) or created_at(case, members)


def _made_in(case: Case, members: set[int], by: str = "") -> Site | None:
    """The line in the class that keeps the layers (or in the class that is named) that made them."""
    for variable in sorted(members):
        keeper, stack = by or case.variable(variable).keeper, case.stack(case.variable(variable).created)
        for index, site in enumerate(stack):
            if keeper and site.function.startswith(f"{keeper}."):
                handed = index > 0 and expression(site).startswith("super(")  # a class that this one is derived from
                return put_into(stack[index - 1] if handed else site)
    return None
