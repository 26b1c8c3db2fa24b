"""What the rules about updates and targets say of JAX programs, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, only, run, said

FOLDER = PROGRAMS / "jax"

MESSAGES: dict[str, dict[str, Any]] = {
    "w201_gradients_shown": {
        "severity": "warning",
        "message": "`params` (4 variables) gets a gradient that nobody applies: it is looked at, and there is no "
        "update",
        "label": "computed again and again, and never applied",
        "why": "The loss and its gradient are computed here in each of 6 rounds, every time with the same parameters. "
        "The gradient is dropped, and the parameters keep their first values.",
        "fix": "make a step with it and keep the result: params = jax.tree.map(lambda p, g: p - rate * g, params, "
        "grads), or an optimizer of Optax",
        "variables": ("params['hidden']['b']", "params['hidden']['w']", "params['out']['b']", "params['out']['w']"),
        "path": [(22, "the gradient comes here")],
    },
    "w202_nnx_optimizer_of_a_copy": {
        "severity": "error",
        "message": "the optimizer at line 8 holds a copy of `model` (2 variables): no update reaches the one that the "
        "gradient at line 14 is taken at",
        "label": "made for a copy that the loss does not use",
        "why": "This optimizer keeps the model that it was made for, and updates that. The loss is computed with "
        "another one, which keeps its first values.",
        "fix": "make the optimizer for the model itself, not for a copy of it",
        "variables": ("model.bias", "model.kernel"),
        "path": [
            (8, "the optimizer took a copy here"),
            (14, "the gradient of the old parameters"),
            (15, "applied to the copy"),
        ],
    },
    "w202_nnx_made_anew": {
        "severity": "error",
        "message": "the optimizer at line 25 still holds 4 variables that no loss uses; `net` (4 variables) is trained "
        "by nobody",
        "label": "new variables, made after the optimizer was built",
        "why": "An optimizer that holds the parameters goes on with the ones it was given. A model that is made anew "
        "afterwards has others.",
        "fix": "make the optimizer after the model, or take the gradient at the parameters that the optimizer holds",
        "variables": ("net.first.bias", "net.first.kernel", "net.last.bias", "net.last.kernel"),
        "path": [
            (25, "the optimizer took the old variables here"),
            (26, "the model got new variables here"),
            (20, "the old ones are updated here"),
        ],
    },
    "w204_actor_loss_of_the_critic": {
        "severity": "error",
        "message": "the loss is differentiated with respect to `critic` (2 variables); nothing ever asks for the "
        "gradient of what `optimizer.init(actor)` at line 29 was made for",
        "label": "asks for the gradient of `critic`",
        "why": "jax.grad and value_and_grad take the first argument, unless argnums says otherwise. The loss is "
        "computed with those parameters, and they enter it as constants.",
        "fix": "name the argument that is to be trained: argnums, or the order of the arguments, in "
        "`jax.grad(actor_loss)(critic, actor, states)`",
        "variables": ("critic['out']", "critic['w']"),
        "path": [(29, "begins with the parameters that are meant"), (37, "the gradient of `critic`")],
    },
    "w203_layer_in_a_static_field": {
        "severity": "error",
        "message": "`net.head` is used by `net` but is no part of it: `Net` keeps it in a static field",
        "label": "JAX does not see this layer",
        "why": "JAX differentiates and updates the leaves of a tree, and does not look into a static field. The "
        "weights of this layer are constants of the function: no gradient is asked for them, and they keep their first "
        "values.",
        "fix": "take static=True away: it is for what is no array, such as a size or a function",
        "variables": ("net.head",),
        "path": [(19, "made here"), (31, "the loss, to which it is a constant")],
    },
    "w203_array_in_a_static_field": {
        "severity": "warning",
        "message": "`waves.frequency` is used by `waves` but is no part of it: `Waves` keeps it in a static field",
        "label": "JAX does not see this array",
        "why": "JAX differentiates and updates the leaves of a tree, and does not look into a static field. These "
        "numbers are constants of the function: no gradient is asked for them, and they keep their first values.",
        "fix": "take static=True away; if it is to stay as it is, stop its gradient where it is used",
        "variables": ("waves.frequency",),
        "path": [(17, "made here"), (26, "the loss, to which it is a constant")],
    },
    "w503_synced_with_itself": {
        "severity": "warning",
        "message": "the sync of `target` takes `target` itself: it never follows `params`",
        "label": "made of itself alone",
        "why": "The loss takes its targets from `target`, which stays what it was when training began.",
        "fix": "make it of `params` here",
        "variables": ("target['hidden']", "target['out']"),
        "path": [(22, "the target is computed with `target`"), (35, "made of itself alone"), (24, "the loss")],
    },
    "w203_layers_in_a_plain_list": {
        "severity": "error",
        "message": "`Net.blocks` keeps layers in a plain container, and Flax NNX refuses them",
        "label": "layers in here are invisible to the model",
        "why": "Flax NNX takes a plain list, dict or tuple for a setting of the module and does not look into it: the "
        "layers would be no part of the model, and no optimizer and no checkpoint would get them. It raises an error "
        "instead.",
        "fix": "keep them in nnx.List([…]) or nnx.Dict({…}); any other container becomes a part of the model with "
        "nnx.data(…) at the assignment",
        "variables": (),
        "path": [(10, "kept here"), (26, "the error is raised here")],
    },
    "w203_layer_built_late": {
        "severity": "error",
        "message": "`Net.head` is given a layer after it was something else, and Flax NNX refuses it",
        "label": "was no part of the model before",
        "why": "At the first assignment of an attribute Flax NNX decides whether it is a part of the model. What holds "
        "no array then (None, a number) is a setting of the module, and remains one: no optimizer and no checkpoint "
        "would get the layer. Flax NNX raises an error instead.",
        "fix": "make the layer at once, or say at the first assignment what will come: self.… = nnx.data(None)",
        "variables": (),
        "path": [(17, "kept here")],
    },
    "w203_layer_appended_later": {
        "severity": "error",
        "message": "`net.layers[0]` is used by `net` but is no part of it: `Net` keeps it in a plain container",
        "label": "JAX does not see this layer",
        "why": "JAX differentiates and updates the leaves of a tree, and does not look into a plain container. The "
        "weights of this layer are constants of the function: no gradient is asked for them, and they keep their first "
        "values.",
        "fix": "keep layers in nnx.List([…]) or nnx.Dict({…}), which Flax NNX does look into",
        "variables": ("net.layers[0]",),
        "path": [(20, "made here"), (28, "the loss, to which it is a constant")],
    },
    "w203_layer_around_a_function": {
        "severity": "error",
        "message": "`hidden` is no part of the model: `Net` keeps it in a function",
        "label": "JAX does not see this layer",
        "why": "JAX differentiates and updates the leaves of a tree, and does not look into a function. The weights of "
        "this layer are constants of the function: no gradient is asked for them, and they keep their first values.",
        "fix": "keep the layer itself in the model, beside the function: what a function has taken in is no leaf",
        "variables": ("hidden",),
        "path": [(14, "made here"), (29, "the loss, to which it is a constant")],
    },
    "w303_chain_clips_last": {
        "severity": "warning",
        "message": "`clip_by_global_norm` clips what the optimizer has made of the gradients of `params` "
        "(2 variables), not the gradients",
        "label": "comes after the optimizer in its chain",
        "why": "A chain runs in the order in which it is written. What comes here is multiplied by the learning rate "
        "already, so that a limit for gradients hardly ever takes hold, and a gradient that was too large has gone "
        "into the optimizer's averages.",
        "fix": "put it first: optax.chain(optax.clip_by_global_norm(…), …)",
        "variables": ("params['bias']", "params['kernel']"),
        "path": [(10, "clips the update"), (23, "which is added to the weights here")],
    },
    "w502_replaced_each_update": {
        "severity": "error",
        "message": "the target is computed with the parameters that are being trained: `params` (2 variables)",
        "label": "runs after every update",
        "why": "`target_params` is replaced by `params` after every update. A target network holds still while the "
        "online one learns; here it moves with every update.",
        "fix": "replace `target_params` only after every so many updates, or average: optax.incremental_update(…)",
        "variables": ("params['w1']", "params['w2']"),
        "path": [(31, "runs after every update"), (23, "prediction and target are of one network")],
    },
    "w503_constant_target": {
        "severity": "error",
        "message": "the target is a constant of the compiled function: it never follows `params`",
        "label": "taken from around the function when it was traced, and used ever since",
        "why": "jax.jit reads what is no argument once, while it traces. The program has other target parameters by "
        "now, and the compiled function still uses the first ones.",
        "fix": "pass the target parameters to the compiled function as an argument",
        "variables": ("params (constant)['w1']", "params (constant)['w2']"),
        "path": [
            (23, "taken from around the function when it was traced, and used ever since"),
            (24, "the loss"),
        ],
    },
    "w503_scan_never_reached": {
        "severity": "warning",
        "message": "the sync of `carry[1]` is never reached: `carry[1]` never follows `params`",
        "label": "this branch is never taken",
        "why": "The condition of the sync holds in no round of the loop, and not in a far longer one either, so the "
        "targets stay those of the first `carry[1]`.",
        "fix": "give the sync a condition that comes true after every so many updates",
        "variables": ("carry[1]['b1']", "carry[1]['w1']", "carry[1]['w2']"),
        "path": [
            (15, "the target is computed with `carry[1]`"),
            (19, "this branch is never taken"),
            (16, "the loss"),
        ],
    },
    "w506_static_step": {
        "severity": "warning",
        "message": "`update` was traced in 12 of 12 calls",
        "label": "called with another Python number each time",
        "why": "A Python number is part of what a trace is for: 10 and 11 are two traces. Tracing costs a hundred "
        "times a call and more, and every trace is kept.",
        "fix": "pass it as an array, no static argument",
        "variables": (),
        "path": [(18, "called with another Python number each time")],
    },
    "w405_tiny_limit": {
        "severity": "warning",
        "message": "`params` (2 variables) keeps less than a thousandth of its gradient after clipping at line 8",
        "label": "a limit of 1e-09 against a norm of 9.18",
        "why": "In every update that was looked at the norm was between 9.18 and 9.18; after `clip_by_global_norm` "
        "with 1e-09 the step moves the weights by less than a millionth of their size.",
        "fix": "raise the limit of `optax.clip_by_global_norm(1e-9)` to about the norm that a normal update has, or "
        "leave the clipping out",
        "variables": ("params['b']", "params['w']"),
        "path": [(8, "the gradient is clipped here"), (16, "what is left is applied here")],
    },
    "w405_tiny_limit_by_hand": {
        "severity": "warning",
        "message": "`params` (2 variables) keeps less than a thousandth of its gradient after clipping at line 16",
        "label": "a limit of 1e-08 against a norm of 2.71",
        "why": "In every update that was looked at the norm was between 2.71 and 2.71; after the clipping with 1e-08 "
        "the step moves the weights by less than a millionth of their size.",
        "fix": "raise the limit of `g * scale` to about the norm that a normal update has, or leave the clipping out",
        "variables": ("params['b']", "params['w']"),
        "path": [(16, "the gradient is clipped here"), (22, "what is left is applied here")],
    },
    "w206_row_added": {
        "severity": "error",
        "message": "`table` is updated, and the new values are dropped: the next gradient is taken at the old ones",
        "label": "the new parameters are computed here, and nobody keeps them",
        "why": "Arrays in JAX do not change. The update made new ones, and the program goes on with those from "
        "before, so that every update begins where the first one did.",
        "fix": "keep it: assign its result to `table`",
        "variables": ("table",),
        "path": [(10, "computed and dropped")],
    },
    "w206_epoch_forgets": {
        "severity": "error",
        "message": "`params` (2 variables) is updated several times, and the last values are dropped: the next "
        "round begins where this one did",
        "label": "the last values are dropped here",
        "why": "Arrays in JAX do not change. The updates made new ones, each from the one before, and the program "
        "goes on with those from before the first.",
        "fix": "keep what `jax.lax.scan(minibatch, state, batches)` ends with, and go on with it",
        "variables": ("params['b']", "params['w']"),
        "path": [(21, "updated here, and dropped")],
    },
    "w506_made_in_loop": {
        "severity": "warning",
        "message": "`<lambda>` was traced in 12 of 12 calls",
        "label": "a new jax.jit at each pass of the loop",
        "why": "A function that jax.jit makes anew has no traces yet, so that its first call is traced. Tracing costs "
        "a hundred times a call and more, and every trace is kept.",
        "fix": "make the compiled function once, before the loop, and call that in the loop",
        "variables": (),
        "path": [(16, "a new jax.jit at each pass of the loop")],
    },
    "w204_inner_update": {
        "severity": "error",
        "message": "`optax.apply_updates(weights, updates)` is made with a gradient that was asked of something else",
        "label": "the gradient of another argument",
        "why": (
            "The function was computed with what is updated here, and is differentiated with respect to "
            "another of its arguments. The shapes happen to fit."
        ),
        "fix": (
            "name the argument that is updated: argnums, or the order of the arguments, in `jax.grad(loss_fn, "
            "argnums=1)(weights, x)`"
        ),
        "variables": (),
        "path": [(17, "the gradient comes from here"), (19, "and is applied here")],
    },
    "w206_inner_step_let_fall": {
        "severity": "warning",
        "message": "what `adapt(params, x1, y1)` makes goes into no loss: the inner update is computed and dropped",
        "label": "the new values, which nothing uses",
        "why": (
            "An inner step at line 18 makes new arrays. Where the outer loss is not computed with them, the "
            "outer update is the same as without the inner loop."
        ),
        "fix": "compute the loss with the new values, in the place of those from before the inner step",
        "variables": (),
        "path": [(17, "the inner gradient"), (18, "the inner step"), (22, "let fall here")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    code = name.split("_")[0].upper()
    assert said(only(run(FOLDER / f"{name}.py"), code)) == MESSAGES[name]
