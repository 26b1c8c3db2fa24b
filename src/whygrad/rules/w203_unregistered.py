"""W203 unregistered

What it checks
    The forward pass uses layers that the model does not list among its own:
    in a plain list, dict or tuple (PyTorch), in a plain object or made inside
    call() (Keras). They get a gradient, and no optimizer holds them.

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
        Not possible in JAX: grad keeps no list; it takes what it is given.

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
        Nothing to repair.

What does not help
    requires_grad_(True) on the layers: they have it. They are not listed.
    Adding their parameters to the optimizer by hand: trains them, and leaves
    them out of state_dict(), .to(device), train() and eval().
    A tuple or a dict in place of the list: nn.Module looks into neither. Use
    nn.ModuleList, nn.ModuleDict or nn.ParameterList.
    Keras does look into lists, tuples and dicts that are attributes of the
    model; it does not look into other objects.

When it is meant
    A reference to a foreign network (a target, a teacher) is often kept in a
    list so that the model does not list it: freeze it, or run it under
    torch.no_grad(), and it is quiet. Otherwise write `# whygrad: ok W203` on
    the line that makes the layers.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.w105_loss_ignores import created_at
from whygrad.rules.wording import networks, subject, verb

CODE, NAME = "W203", "unregistered"
SUMMARY = "layers the model does not track: in a plain list, a dict, an object"


def check(case: Case) -> Iterator[Finding]:
    """Layers in use that the model's own list of parameters does not contain."""
    recording = case.recording
    hidden = {v for v in case.unheld - recording.hand_updated if not recording.variables[v].registered}
    for network, members in networks(case, hidden).items():
        group = set(members)
        where = _kept_at(case, group)
        torch = recording.framework == "torch"
        path = [PathStep(where, "creation", "made here")] if where is not None else []
        listed = f"{network}.parameters()" if torch else f"{network}.trainable_variables"
        fix = (
            "keep layers in nn.ModuleList([...]) or nn.ModuleDict({...}), parameters in nn.ParameterList"
            if torch
            else "make the layers in __init__ and keep them as attributes of the model (lists and dicts are "
            "tracked there)"
        )
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, group)} {verb(group, case, 'is', 'are')} used by `{network}` but not "
            "registered with it",
            why=f"`{network}` does not look into plain containers, so {listed} leaves these out: no optimizer "
            "gets them, no "
            "checkpoint saves them.",
            fix=fix, variables=case.names(group), where=where, label="layers in here are invisible to the model",
            path=tuple(path),
        )  # fmt: skip


def _kept_at(case: Case, members: set[int]) -> Site | None:
    """The line in the model's own class that made the layers, else the line that made them."""
    for variable in sorted(members):
        keeper = case.variable(variable).keeper
        for site in case.stack(case.variable(variable).created):
            if keeper and site.function.startswith(f"{keeper}."):
                return site
    return created_at(case, members)
