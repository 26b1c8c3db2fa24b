"""The code blocks of the rules' manual pages: how they are found, what they may use, and what running one did.

As a script, `python manual_blocks.py FRAMEWORK` runs every Example and Instead block of one framework, each in a
namespace of its own behind that framework's preamble, and prints what happened as JSON. One process per framework.
"""

from __future__ import annotations

import ast
import json
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from whygrad.rules.catalogue import RULES

HEADINGS = (
    "What it checks",
    "Why it matters",
    "Example",
    "Instead",
    "What does not help",
    "When it is meant",
)
FRAMEWORKS = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
NO_CODE = ("Not possible in", "Nothing to repair")

# What the blocks take for granted. A batch of 8 states of 4 numbers; two continuous or three discrete actions.
PREAMBLES = {
    "torch": """
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
states, actions = torch.randn(8, 4), torch.randn(8, 2)
targets, returns = torch.randn(8, 1), torch.randn(8)
next_states, rewards = torch.randn(8, 4), torch.randn(8)
taken = torch.randint(0, 3, (8,))

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    def forward(self, states, actions):
        return self.layers(torch.cat([states, actions], dim=1))

net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
q_net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = Critic()
body, policy_head, value_head = nn.Sequential(nn.Linear(4, 16), nn.Tanh()), nn.Linear(16, 3), nn.Linear(16, 1)
cell = nn.GRUCell(4, 16)
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
""",
    "tensorflow": """
from types import SimpleNamespace
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
states, actions = tf.random.normal((8, 4)), tf.random.normal((8, 2))
targets, returns = tf.random.normal((8, 1)), tf.random.normal((8,))
next_states, rewards = tf.random.normal((8, 4)), tf.random.normal((8,))
taken = tf.random.uniform((8,), 0, 3, dtype=tf.int32)

def mlp(outputs):
    return keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(outputs)]
    )

def dense(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(outputs, activation="tanh")])

def make_critic():
    both = [keras.Input((4,)), keras.Input((2,))]
    hidden = keras.layers.Dense(16, activation="tanh")(keras.layers.Concatenate()(both))
    return keras.Model(both, keras.layers.Dense(1)(hidden))

net, q_net, policy, actor, critic = mlp(1), mlp(3), mlp(3), mlp(2), make_critic()
body, policy_head, value_head = dense(4, 16), dense(16, 3), dense(16, 1)
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam()
""",
    "jax": """
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

def init(seed, *sizes):
    keys = jax.random.split(jax.random.key(seed), len(sizes) - 1)
    return [(jax.random.normal(k, (a, b)) * 0.3, jnp.zeros(b)) for k, a, b in zip(keys, sizes, sizes[1:])]

def mlp(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b

def critic(params, states, actions):
    return mlp(params, jnp.concatenate([states, actions], axis=1))

def net_loss(params):
    return jnp.mean((net(params, states) - targets) ** 2)

net = q_net = policy = actor = mlp
keys = jax.random.split(jax.random.key(0), 5)
states, actions = jax.random.normal(keys[0], (8, 4)), jax.random.normal(keys[1], (8, 2))
targets, returns = jax.random.normal(keys[2], (8, 1)), jax.random.normal(keys[3], (8,))
taken = jax.random.randint(keys[4], (8,), 0, 3)
next_states, rewards = -states, -returns
params, q_params = init(1, 4, 16, 1), init(2, 4, 16, 3)
actor_params, critic_params = init(3, 4, 16, 2), init(4, 6, 16, 1)
trunk, head = init(5, 4, 16), init(6, 16, 1)
heads = {"body": init(5, 4, 16), "policy": init(6, 16, 3), "value": init(7, 16, 1)}
""",
}

# What is asked of each block after it ran: the gradients that its page speaks of ("gradient"), and, for the rules
# about optimizers, what the block's last statement, an update, changes when it is run once more ("update").
# A module, a model or a pytree stands for all of its variables. `listed` is what the model itself says it has.
# `holds` is true after the repair and false after the example; `moved(name)` is how far a network has moved at most.
ASKED: dict[tuple[str, str], dict[str, str]] = {
    ("W101", "torch"): {"gradient": "actor"},
    ("W101", "tensorflow"): {"gradient": "grads"},
    ("W101", "jax"): {"gradient": "grads"},
    ("W102", "torch"): {"gradient": "actor"},
    ("W102", "tensorflow"): {"gradient": "grads"},
    ("W102", "jax"): {"gradient": "grads"},
    ("W103", "torch"): {"gradient": "policy"},
    ("W103", "tensorflow"): {"gradient": "grads"},
    ("W103", "jax"): {"gradient": "grads"},
    ("W104", "torch"): {"gradient": "q_net"},
    ("W104", "tensorflow"): {"gradient": "grads"},
    ("W104", "jax"): {"gradient": "grads"},
    ("W105", "torch"): {"gradient": "value_head"},
    ("W105", "tensorflow"): {"gradient": "grads"},
    ("W105", "jax"): {"gradient": "grads['value']"},
    ("W106", "torch"): {"gradient": "log_alpha"},
    ("W106", "tensorflow"): {"gradient": "grads"},
    ("W106", "jax"): {"gradient": "grads"},
    ("W107", "torch"): {"gradient": "cell"},
    ("W107", "tensorflow"): {"gradient": "a + c"},
    ("W107", "jax"): {"holds": "type(hidden).__name__ == 'ArrayImpl'"},
    ("W108", "torch"): {"gradient": "actor"},
    ("W108", "tensorflow"): {"gradient": "grads"},
    ("W108", "jax"): {"holds": "not jax.tree.leaves(target_params)[0].is_deleted()"},
    ("W109", "torch"): {"gradient": "body"},
    ("W109", "tensorflow"): {"gradient": "grads"},
    ("W109", "jax"): {"update": "params[-1]"},
    ("W201", "torch"): {"gradient": "body", "update": "body"},
    ("W201", "tensorflow"): {"update": "body"},
    ("W201", "jax"): {"update": "trunk"},
    ("W202", "torch"): {"gradient": "net[-1]", "update": "net[-1]"},
    ("W202", "tensorflow"): {"gradient": "grads[-2:]", "update": "net.layers[-1]"},
    ("W202", "jax"): {"gradient": "grads", "update": "params"},
    ("W203", "torch"): {"gradient": "list(net.heads)", "update": "list(net.heads)", "listed": "list(net.heads)"},
    ("W203", "tensorflow"): {"listed": "parts_of(net)"},
    ("W203", "jax"): {"holds": "len(jax.tree.leaves(net)) == 4"},
    ("W204", "torch"): {"update": "net"},
    ("W204", "tensorflow"): {"update": "net"},
    ("W204", "jax"): {"holds": "alike(grads, jax.grad(loss_fn)(params, target_params))"},
    ("W205", "torch"): {"holds": "moved('critic') == 0 < moved('actor')"},
    ("W205", "tensorflow"): {"holds": "moved('critic') == 0 < moved('actor')"},
    ("W205", "jax"): {"holds": "moved('critic_params') == 0 < moved('actor_params')"},
    ("W206", "torch"): {"holds": "moved('net') > 0"},
    ("W206", "tensorflow"): {"holds": "moved('net') > 0"},
    ("W206", "jax"): {"holds": "moved('params') > 0"},
    ("W301", "torch"): {"gradient": "net", "update": "net"},
    ("W301", "jax"): {"holds": "moved('params') > 0"},
    ("W302", "torch"): {"update": "net"},
    ("W303", "torch"): {"holds": "0 < moved('net') < 0.0101"},
    ("W303", "tensorflow"): {"holds": "0 < moved('net') < 0.0101"},
    ("W303", "jax"): {"holds": "0 < moved('params') < 0.0101"},
    ("W304", "torch"): {"holds": "net[-1].bias.grad == -1"},
    ("W401", "torch"): {"holds": "float(net[0].weight.grad.abs().max()) > 0"},
    ("W401", "tensorflow"): {"holds": "float(tf.reduce_max(tf.abs(grads[0]))) > 0"},
    ("W401", "jax"): {"holds": "float(abs(grads[0][0]).max()) > 0"},
    ("W402", "torch"): {"holds": "bool(policy[0].weight.grad.isfinite().all())"},
    ("W402", "tensorflow"): {"holds": "bool(tf.reduce_all(tf.math.is_finite(grads[0])))"},
    ("W402", "jax"): {"holds": "bool(jnp.isfinite(grads[0][0]).all())"},
    ("W403", "torch"): {"holds": "deep[0].weight.grad.norm() > 1e-4 * deep[-2].weight.grad.norm()"},
    ("W403", "tensorflow"): {"holds": "float(tf.norm(grads[0])) > 1e-4 * float(tf.norm(grads[-2]))"},
    ("W403", "jax"): {"holds": "float(jnp.linalg.norm(grads[0][0])) > 1e-4 * float(jnp.linalg.norm(grads[-1][0]))"},
    ("W404", "torch"): {"holds": "loss.item() < 100"},
    ("W404", "tensorflow"): {"holds": "float(loss) < 100"},
    ("W404", "jax"): {"holds": "float(net_loss(params)) < 100"},
    ("W405", "torch"): {"holds": "moved('critic') > 0"},
    ("W405", "tensorflow"): {"holds": "moved('net') > 0"},
    ("W405", "jax"): {"holds": "float(abs(grads[0][0]).max()) > 0"},
    ("W501", "torch"): {"holds": "not target.requires_grad"},
    ("W501", "tensorflow"): {
        "holds": "np.allclose(grads[-1], [sum(2 * (q - target)[taken == a]) / 8 for a in range(3)], atol=1e-5)"
    },
    ("W501", "jax"): {
        "holds": "alike(grads, jax.grad(lambda p: jnp.mean((rewards + 0.99 * q_net(q_params, next_states).max(axis=1) "
        "- q_net(p, states)[jnp.arange(8), taken]) ** 2))(q_params))"
    },
    ("W502", "torch"): {"holds": "target_net[0].weight is not q_net[0].weight"},
    ("W502", "tensorflow"): {"holds": "target_net.variables[0] is not q_net.variables[0]"},
    ("W502", "jax"): {"holds": "not alike(target_params, q_params)"},
    ("W503", "torch"): {"holds": "p_target is target_net[-1].bias"},
    ("W503", "tensorflow"): {"holds": "w_target is target_net.variables[-1]"},
    ("W503", "jax"): {"holds": "not alike(target_params, init(9, 4, 16, 3))"},
    ("W504", "torch"): {"holds": "(values - returns).shape == (8,)"},
    ("W504", "tensorflow"): {"holds": "(values - returns).shape == (8,)"},
    ("W504", "jax"): {
        "holds": "alike(grads, jax.grad(lambda p: jnp.mean((net(p, states)[:, 0] - returns) ** 2))(params))"
    },
    ("W505", "torch"): {"holds": "value_head.weight.grad is None"},
    ("W505", "tensorflow"): {"holds": "all(g is None for g in grads)"},
    ("W505", "jax"): {"holds": "not any(leaf.any() for leaf in jax.tree.leaves(grads['value']))"},
    ("W506", "tensorflow"): {"holds": "len(traced) == 1"},
    ("W506", "jax"): {"holds": "len(traced) == 1"},
}


def sections(page: str) -> dict[str, str]:
    """The text under each heading, without its indentation."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in page.splitlines()[1:]:
        if line and not line.startswith(" "):
            current = found.setdefault(line.strip(), [])
        else:
            current.append(line)
    return {heading: textwrap.dedent("\n".join(lines)).strip("\n") for heading, lines in found.items()}


def blocks(text: str) -> dict[str, str]:
    """What stands under each framework's name in an Example or Instead section."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    names = {title: name for name, title in FRAMEWORKS.items()}
    for line in text.splitlines():
        if line in names:
            current = found.setdefault(names[line], [])
        else:
            current.append(line)
    return {name: textwrap.dedent("\n".join(lines)).strip("\n") for name, lines in found.items()}


def code_blocks(framework: str) -> list[tuple[str, str, str]]:
    """(rule, section, code) of every block that is code."""
    found = []
    for rule in RULES:
        parts = sections(rule.manual)
        for section in ("Example", "Instead"):
            code = blocks(parts.get(section, "")).get(framework, "")
            if code and not code.startswith(NO_CODE):
                found.append((rule.code, section, code))
    return found


# --- in the framework's own process -------------------------------------------------------------------------------


def run_block(framework: str, rule: str, code: str) -> dict[str, Any]:
    """Run one block; say what it raised, what gradients it left and what its update changes."""
    space: dict[str, Any] = {"__name__": "block", "parts_of": _parts_of}
    exec(PREAMBLES[framework], space)
    networks = ("net", "actor", "critic") if framework != "jax" else ("params", "actor_params", "critic_params")
    first = {name: _numbers(framework, space[name]) for name in networks}
    space["moved"] = lambda name: max(
        float(abs(a - b).max()) for a, b in zip(first[name], _numbers(framework, space[name]), strict=True)
    )
    space["alike"] = lambda one, other: all(
        bool((abs(a - b) < 1e-6).all())
        for a, b in zip(_numbers(framework, one), _numbers(framework, other), strict=True)
    )
    asked = ASKED[rule, framework]
    result: dict[str, Any] = {"error": None}
    try:
        exec(code, space)
    except Exception as error:
        result["error"] = f"{type(error).__name__}: {error}"
    if "gradient" in asked and (framework == "torch" or not result["error"]):
        result["gradient"] = [_state(g) for g in _gradients(framework, eval(asked["gradient"], space))]
    if "update" in asked and not result["error"]:
        before = _numbers(framework, eval(asked["update"], space))
        exec(ast.unparse(ast.parse(code).body[-1]), space)
        after = _numbers(framework, eval(asked["update"], space))
        result["changed"] = [bool((a != b).any()) for a, b in zip(before, after, strict=True)]
    if "holds" in asked and not result["error"]:
        result["holds"] = bool(eval(asked["holds"], space))
    if "listed" in asked:
        own = {id(v) for v in _variables(framework, space["net"])}
        result["listed"] = [id(v) in own for v in _variables(framework, eval(asked["listed"], space))]
    return result


def _parts_of(model: Any) -> list[Any]:
    return list(model.parts.values()) if isinstance(model.parts, dict) else list(vars(model.parts).values())


def _variables(framework: str, thing: Any) -> list[Any]:
    if isinstance(thing, list):
        return [v for one in thing for v in _variables(framework, one)]
    if framework == "torch":
        return list(thing.parameters()) if hasattr(thing, "parameters") else [thing]
    return list(thing.trainable_variables)


def _gradients(framework: str, thing: Any) -> list[Any]:
    if framework == "torch":
        return [v.grad for v in _variables(framework, thing)]
    if framework == "tensorflow":
        return list(thing)
    import jax

    return jax.tree.leaves(thing)


def _numbers(framework: str, thing: Any) -> list[Any]:
    import numpy as np

    if framework == "jax":
        import jax

        return [np.array(v) for v in jax.tree.leaves(thing)]
    read: Callable[[Any], Any] = (lambda v: v.detach().numpy()) if framework == "torch" else (lambda v: v.numpy())
    return [np.array(read(v)) for v in _variables(framework, thing)]


def _state(gradient: Any) -> str:
    if gradient is None:
        return "none"
    return "nonzero" if bool((abs(gradient) > 0).any() if hasattr(gradient, "any") else _any(gradient)) else "zero"


def _any(gradient: Any) -> bool:
    return bool((abs(gradient.numpy()) > 0).any())


if __name__ == "__main__":
    wanted = sys.argv[1]
    results = {f"{rule} {section}": run_block(wanted, rule, code) for rule, section, code in code_blocks(wanted)}
    print(json.dumps(results))
