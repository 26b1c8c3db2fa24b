"""Every rule on JAX programs: fires on the marked line, is quiet on the neighbour, and says it in these words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, assert_as_marked, only, programs, run, said

FOLDER = PROGRAMS / "jax"


@pytest.mark.parametrize("program", programs("jax"), ids=lambda p: p.stem)
def test_program(program: Path) -> None:
    assert_as_marked(program)


MESSAGES: dict[str, dict[str, Any]] = {
    "w101_features_before": {
        "severity": "error",
        "message": "`params['encoder']` (2 variables) gets no gradient from the loss at line 18",
        "label": "computed outside the function that is differentiated, so that its result is a constant there",
        "why": "jax.grad differentiates what the function computes from its argument; an array that was computed "
        "before has no derivative.",
        "fix": 'compute `states @ params["encoder"]["w"]` inside the function that is differentiated, from its '
        "argument",
        "variables": ("params['encoder']['b']", "params['encoder']['w']"),
        "path": [(15, "the gradient stops here"), (20, "the gradient is taken here"), (18, "the loss")],
    },
    "w102_actor_stopped": {
        "severity": "error",
        "message": "`params['actor']` (4 variables) gets no gradient from the loss at line 30",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `jax.lax.stop_gradient(jnp.tanh(actor.apply(p, states)))`, or stop only "
        "the side that is meant to be a constant (the target)",
        "variables": (
            "params['actor']['params']['Dense_0']['bias']",
            "params['actor']['params']['Dense_0']['kernel']",
            "params['actor']['params']['Dense_1']['bias']",
            "params['actor']['params']['Dense_1']['kernel']",
        ),
        "path": [(29, "the gradient stops here"), (30, "the loss")],
    },
    "w103_float_in_loss": {
        "severity": "error",
        "message": "JAX cannot differentiate `float(jnp.sum(jnp.abs(w)))`: the value leaves the framework",
        "label": "the value leaves the framework here (float())",
        "why": "While a gradient is computed the values are tracers, which stand for all numbers at once. Python "
        "and NumPy need one number, and give back a constant, through which no gradient passes.",
        "fix": "stay with the array: drop float(), or use .astype(jnp.float32); log the number outside the function",
        "variables": (),
        "path": [(10, "the gradient stops here")],
    },
    "w103_item_weight": {
        "severity": "error",
        "message": "`params['log_sigma']` gets no gradient from the loss at line 11",
        "label": "the value leaves the framework here (.item()) and comes back at line 11 as a constant",
        "why": "Python numbers and NumPy arrays carry no gradient; what is computed with them is a constant to the "
        "framework.",
        "fix": 'stay in the framework up to the loss: drop .item() in `params["log_sigma"].item()` and use jax.numpy '
        "functions",
        "variables": ("params['log_sigma']",),
        "path": [(10, "the gradient stops here"), (11, "comes back here, as a constant")],
    },
    "w103_numpy_copy": {
        "severity": "error",
        "message": "`params['encoder']` gets no gradient from the loss at line 17",
        "label": "the gradient stops here: this uses a NumPy copy of the array, which is a constant",
        "why": "A NumPy array holds the numbers of that moment. It has no gradient, and no update changes it.",
        "fix": "use the array of the function's argument in `x @ encoder`, not its copy",
        "variables": ("params['encoder']",),
        "path": [(16, "the gradient stops here"), (17, "the loss")],
    },
    "w104_while_loop": {
        "severity": "error",
        "message": "JAX cannot differentiate `jax.lax.while_loop(unfinished, improve, (jnp.zeros(3), 0))`: the loop "
        "has no fixed number of steps",
        "label": "the gradient cannot go back through this loop",
        "why": "The backward pass walks the steps of a loop in reverse and needs what each of them computed. How "
        "many there will be is known to a while_loop only as it runs, so no memory is set aside for them.",
        "fix": "give the loop a fixed length: jax.lax.scan, or jax.lax.fori_loop with Python integers as bounds; "
        "keep values that are done unchanged with jnp.where",
        "variables": (),
        "path": [(15, "the gradient stops here")],
    },
    "w105_term_in_aux": {
        "severity": "warning",
        "message": "`params['value']` gets no gradient: its term at line 16 is not part of the loss",
        "label": "this loss leaves out the term computed at line 16",
        "why": '`jnp.mean(((states @ params["value"])[:, 0] - returns) ** 2)` was computed and dropped: the loss '
        "does not contain it.",
        "fix": "add the term at line 16 to the loss",
        "variables": ("params['value']",),
        "path": [(16, "a loss term for them, used by nothing"), (17, "the loss, put together without it")],
    },
    "w105_twin_called_twice": {
        "severity": "warning",
        "message": "`critic.second` (2 variables) gets no gradient: `critic.first` is used a second time in its place",
        "label": "this uses `critic.first` once more, and `critic.second` not at all",
        "why": "`critic.first` is of the same build and is called twice for one loss; `critic.second` is never called.",
        "fix": "call `critic.second` in `self.first(x)`, or remove it",
        "variables": ("critic.second.weight", "critic.second.bias"),
        "path": [(18, "used a second time"), (23, "the loss")],
    },
    "w106_integer_parameter": {
        "severity": "error",
        "message": "the gradient of `coefficients` (int32) is asked for, and an integer has none",
        "label": "this differentiates with respect to an integer",
        "why": "jax.grad follows every leaf of the arguments it differentiates, and only floating-point numbers "
        "change by a little.",
        "fix": "make it a float (1.0 in place of 1, dtype=jnp.float32) if it is to learn; if it is a counter or an "
        "index, keep it out of the differentiated argument and pass it as another one",
        "variables": (),
        "path": [(15, "its gradient is asked for here")],
    },
    "w105_merged_of_the_first": {
        "severity": "error",
        "message": "`params` (2 variables) gets no gradient from the loss at line 18",
        "label": "put together of parameters of the enclosing scope, not of the argument that is differentiated",
        "why": "jax.grad follows the argument of the function alone. The same arrays, taken from an outer variable, "
        "are constants to it, and the gradient is zero.",
        "fix": "use the function's own argument in `model = nnx.merge(graph, first)`",
        "variables": ("params['bias']", "params['kernel']"),
        "path": [(17, "the output of `params`"), (16, "the gradient stops here"), (18, "the loss")],
    },
    "w201_weights_handed_on": {
        "severity": "warning",
        "message": "`params[0]`, `params[1]` (2 of 4 variables of `params`) get a gradient that no optimizer applies",
        "label": "`params[0]` and `params[1]` are left out here",
        "why": "The loss at line 14 depends on it and could train it, but no update ever reaches it: it keeps its "
        "first values.",
        "fix": "apply it too, as the others of params are, or ask for the gradient of those others alone",
        "variables": ("params[0][0]", "params[1][0]"),
        "path": [(25, "made here"), (20, "left out here"), (14, "the loss, which gives them a gradient")],
    },
    "w201_zeros_for_the_optimizer": {
        "severity": "error",
        "message": "`params` (2 variables) gets a gradient, and the optimizer is given something else",
        "label": "the gradient does not go in here",
        "why": "What the optimizer is given here is not made of the gradient, and the updates that it makes of it are "
        "zero.",
        "fix": "give the gradient to `tx.update(total, state)`",
        "variables": ("params['b']", "params['w']"),
        "path": [(13, "the loss, which gives them a gradient"), (21, "zeros are applied here")],
    },
    "w202_two_names": {
        "severity": "error",
        "message": "the updates at line 21 never reach `params` (2 variables): the gradient at line 19 is taken at "
        "the first values each time",
        "label": "this updates a copy that the loss does not use",
        "why": "Two names began with the same arrays. The update gives one of them new arrays, and the gradient is "
        "still computed from the other, which keeps the old ones.",
        "fix": "keep one name for the parameters: compute the gradient from what the last update returned",
        "variables": ("params['b']", "params['w']"),
        "path": [(19, "the gradient of the old parameters"), (21, "applied to the new ones")],
    },
    "w104_argmax_loss": {
        "severity": "error",
        "message": "`model` (4 variables) gets no gradient from the loss at line 15",
        "label": "the gradient stops here: argmax returns an index, and an index has no derivative",
        "why": "Which entry is the largest does not change when an entry moves a little; its value does.",
        "fix": "use the value, not its index, in place of `jnp.argmax(jax.vmap(model)(states), axis=1)` (such as "
        "jnp.max(q, axis=1)), or gather the entry that was taken",
        "variables": (
            "model.layers[0].weight",
            "model.layers[0].bias",
            "model.layers[1].weight",
            "model.layers[1].bias",
        ),
        "path": [(14, "the gradient stops here"), (15, "the loss")],
    },
    "w104_round_code": {
        "severity": "error",
        "message": "`encoder['w']` gets no gradient from the loss at line 13",
        "label": "the gradient stops here: round is flat, its derivative is zero everywhere",
        "why": "A step function changes nothing when its input moves a little, so nothing can be learned through it.",
        "fix": "use the value before it, or a straight-through estimator: x + jax.lax.stop_gradient(jnp.round(x) - x)",
        "variables": ("encoder['w']",),
        "path": [(12, "the gradient stops here"), (13, "the loss")],
    },
    "w105_outer_params": {
        "severity": "error",
        "message": "`params` (2 variables) gets no gradient from the loss at line 14",
        "label": "computed from parameters of the enclosing scope, not from the argument that is differentiated",
        "why": "jax.grad follows the argument of the function alone. The same arrays, taken from an outer variable, "
        "are constants to it, and the gradient is zero.",
        "fix": 'use the function\'s own argument in `x @ params["w"]`',
        "variables": ("params['b']", "params['w']"),
        "path": [(13, "the gradient stops here"), (14, "the loss")],
    },
    "w105_spare_layer": {
        "severity": "warning",
        "message": "`model.spare` (2 variables) gets no gradient: it was never computed before the loss at line 25",
        "label": "made here, and never used in the forward pass",
        "why": "It exists and the optimizer holds it, but the forward pass never uses it.",
        "fix": "use it in the forward pass, or remove it",
        "variables": ("model.spare.bias", "model.spare.kernel"),
        "path": [(12, "made here, never called"), (25, "the loss")],
    },
    "w206_apply_updates_dropped": {
        "severity": "error",
        "message": "`params` (2 variables) is updated, and the new values are dropped: the next gradient is taken "
        "at the old ones",
        "label": "the new parameters are computed here, and nobody keeps them",
        "why": "Arrays in JAX do not change. The update made new ones, and the program goes on with those from "
        "before, so that every update begins where the first one did.",
        "fix": "keep it: params = optax.apply_updates(params, updates)",
        "variables": ("params['b']", "params['w']"),
        "path": [(15, "computed and dropped")],
    },
    "w206_nnx_under_jax_jit": {
        "severity": "error",
        "message": "`model` (2 variables) is updated, and the new values are dropped: the next gradient is taken at "
        "the old ones",
        "label": "this works on a copy of `model`",
        "why": "jax.jit works on a copy of an NNX object: what is changed in it is lost when the function returns, and "
        "every update begins where the first one did.",
        "fix": "compile the function with nnx.jit, or return nnx.state(model) and nnx.update(model, …) with it",
        "variables": ("model.bias", "model.kernel"),
        "path": [(16, "a copy goes in"), (19, "computed and dropped")],
    },
    "w206_train_step_dropped": {
        "severity": "error",
        "message": "`state.params` (4 variables) is updated, and the new values are dropped: the next gradient is "
        "taken at the old ones",
        "label": "the new parameters are computed here, and nobody keeps them",
        "why": "Arrays in JAX do not change. The update made new ones, and the program goes on with those from "
        "before, so that every update begins where the first one did.",
        "fix": "take what `train_step(state, x, y)` returns as the new `state.params`",
        "variables": (
            "state.params['params']['layers_0']['bias']",
            "state.params['params']['layers_0']['kernel']",
            "state.params['params']['layers_2']['bias']",
            "state.params['params']['layers_2']['kernel']",
        ),
        "path": [(20, "computed and dropped")],
    },
    "w206_state_forgotten": {
        "severity": "warning",
        "message": "the optimizer of `params` (2 variables) starts from its first state in every update",
        "label": "the new optimizer state is dropped",
        "why": "The state holds the running averages of momentum and of Adam. Where the new state is not kept, "
        "every update is computed as if it were the first.",
        "fix": "keep the new state: updates, opt_state = tx.update(grads, opt_state, params)",
        "variables": ("params['b']", "params['w']"),
        "path": [(15, "state dropped")],
    },
    "w402_log_of_zero": {
        "severity": "error",
        "message": "the loss at line 15 is infinite: `log` makes an infinity out of finite numbers",
        "label": "the logarithm of 0 is -inf (8 of its 8 entries are 0)",
        "why": "The step applies it, and `params` is lost from then on.",
        "fix": "for the logarithm of a probability use jax.nn.log_softmax(logits) or jax.nn.log_sigmoid(logits); "
        "else keep its input away from 0: jnp.maximum(probs[:, 0], 1e-8)",
        "variables": ("params['w']",),
        "path": [(15, "not finite from here on")],
    },
    "w105_constant_term": {
        "severity": "warning",
        "message": "`params['value']` gets no gradient: a term of the loss at line 26 is a constant",
        "label": "this term of the loss depends on nothing that is trained",
        "why": "`jnp.mean((returns - returns.mean()) ** 2)` is computed from data alone, so that it trains "
        "nothing; the output of `params` was computed at line 18 and dropped.",
        "fix": "let `jnp.mean((returns - returns.mean()) ** 2)` use the output of `params`",
        "variables": ("params['value']",),
        "path": [(18, "computed here, and dropped"), (25, "a constant"), (26, "the loss")],
    },
    "w105_first_twin_twice": {
        "severity": "warning",
        "message": "`params['two']` (2 variables) gets no gradient: the loss at line 19 has the term of another "
        "output twice",
        "label": "the same as before, once more",
        "why": "`first - goal` computes what was computed before; the output of `params['two']`, of the same "
        "shape, was computed at line 12 and dropped.",
        "fix": "use the output of `params['two']` in `first - goal`",
        "variables": ("params['two']['body']", "params['two']['out']"),
        "path": [(12, "computed here, and dropped"), (18, "the same term once more"), (19, "the loss")],
    },
    "w504_integer_labels": {
        "severity": "error",
        "message": "`y * jnp.log(p)` pairs every row of the batch with every row: (32,) against (32, 1)",
        "label": "(32,) against (32, 1) gives (32, 32)",
        "why": "Broadcasting makes a (32, 32) matrix of the two, and the loss at line 12 takes in all of it. Each "
        "row is weighed by all 32 weights, and which weight belongs to which row is lost.",
        "fix": "give both the same shape before they meet: [:, 0] on the second makes it (32,)",
        "variables": ("params['b']", "params['w']"),
        "path": [(12, "every row meets every row"), (12, "the loss")],
    },
    "w102_prediction_stopped": {
        "severity": "error",
        "message": "`params` (2 variables) gets no gradient from the loss at line 26",
        "label": "the gradient stops here: stop_gradient returns the value as a constant",
        "why": "Every way from these variables to the loss passes through stop_gradient, which is there to stop a "
        "gradient.",
        "fix": "take stop_gradient away in `jax.lax.stop_gradient(prediction)`, or stop only the side that is "
        "meant to be a constant (the target)",
        "variables": ("params['w1']", "params['w2']"),
        "path": [(24, "the output of `params`"), (26, "the gradient stops here")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
