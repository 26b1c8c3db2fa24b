"""What is said of JAX programs that keep the wrong state, word for word."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("jax")

from program_runner import PROGRAMS, only, run, said

MESSAGES: dict[str, dict[str, Any]] = {
    "w301_sum_emptied_first": {
        "severity": "error",
        "message": "`state.params` (2 variables) gets zeros in every step: they take the place of the gradients that "
        "were summed up at line 23",
        "label": "takes the place of the sum of the gradients",
        "why": "`state.apply_gradients(grads=jax.tree.map(lambda g: g / 3, s…` is to apply the sum of several "
        "gradients. Zeros were put in its place just before, so that the step changes nothing.",
        "fix": "move `jax.tree.map(jnp.zeros_like, state.total)` behind "
        "`state.apply_gradients(grads=jax.tree.map(lambda g: g / 3, s…`, or give the step the sum from before",
        "variables": ("state.params['params']['bias']", "state.params['params']['kernel']"),
        "path": [
            (23, "the gradient is added here"),
            (28, "and zeros take its place here"),
            (29, "before it could be applied here"),
        ],
    },
    "w503_replaced_late_dropped": {
        "severity": "warning",
        "message": "the sync of `agent.target_params` is computed and not kept: `agent.target_params` never follows "
        "`agent.params`",
        "label": "nothing takes the new state",
        "why": "Arrays in JAX do not change: a new state is made here, and the old one stays in use. The loss takes "
        "its targets from `agent.target_params`, which stays what it was when training began.",
        "fix": "bind what this returns to the name of the state",
        "variables": ("agent.target_params['out']", "agent.target_params['w']"),
        "path": [
            (27, "the target is computed with `agent.target_params`"),
            (36, "nothing takes the new state"),
            (28, "the loss"),
        ],
    },
    "w506_optimizer_made_anew": {
        "severity": "warning",
        "message": "`train_step` was traced in 11 of 11 calls",
        "label": "an argument holds a new function each time",
        "why": "An argument holds a function (`init_fn`) that is made anew for each call, and a trace is for the one "
        "that it was made with. Tracing costs a hundred times a call and more, and every trace is kept.",
        "fix": "make what holds it (an optimizer, a train state) once, before the loop, and pass that at each call",
        "variables": (),
        "path": [(21, "an argument holds a new function each time")],
    },
    "w204_taken_at_another_tree": {
        "severity": "error",
        "message": "the gradient of `old` (2 variables) is applied at line 25 to other parameters, which it is not the "
        "gradient of",
        "label": "the gradient is not that of these parameters",
        "why": "The gradient at line 23 is taken at the same values each time. What the update changes is another set "
        "of arrays of the same shapes, which the program uses and never differentiates at.",
        "fix": "take the gradient at the parameters that the update changes",
        "variables": ("old['v']", "old['w']"),
        "path": [(23, "the gradient is taken here"), (25, "and applied to others")],
    },
    "w204_one_gradient_for_two_critics": {
        "severity": "error",
        "message": "`critic_1.params` (2 variables) is given the gradient of `critic_2.params` (2 variables)",
        "label": "gradients of `critic_2.params` go to `critic_1.params`",
        "why": "A gradient says how the loss at line 30 changes with the one variable it was computed for; for any "
        "other it is noise. The shapes happen to fit.",
        "fix": "pair each gradient with its own variable: the two lists must be made from the same variables, in the "
        "same order",
        "variables": ("critic_1.params['w1']", "critic_1.params['w2']"),
        "path": [(32, "gradients of `critic_2.params`"), (43, "given to `critic_1.params`")],
    },
    "w106_floats_in_a_shown_model": {
        "severity": "warning",
        "message": "`model.decay` and `model.speed` are plain floats: the gradient of the loss at line 24 is asked for "
        "`height` alone",
        "label": "a plain number",
        "why": "A filtered gradient follows JAX's arrays. A float is a setting to it, and keeps its first value, "
        "though the loss depends on it as on the others, and the program shows it beside them.",
        "fix": "make it an array, jnp.asarray(1.0) in the place of 1.0; or, if it is not to be fitted, say so: "
        "eqx.field(static=True)",
        "variables": (),
        "path": [(14, "a plain number"), (15, "a plain number"), (29, "asked for `height`")],
    },
    "w106_plain_numbers": {
        "severity": "error",
        "message": "the gradient of the loss at line 18 is asked for, and `Spring` has no array",
        "label": "made of plain numbers",
        "why": "A filtered gradient follows JAX's arrays alone. The numbers of this model are Python's or NumPy's own: "
        "to the gradient they are settings, and they keep their first values.",
        "fix": "give it arrays: jnp.asarray(1.0) in the place of 1.0, or a converter in the class, "
        "eqx.field(converter=jnp.asarray)",
        "variables": (),
        "path": [(29, "made of plain numbers"), (23, "asked of nothing")],
    },
    "w203_weight_is_no_parameter": {
        "severity": "warning",
        "message": "`model.hidden.w` and 1 more are no parameters: the bias of `Linear` learns, and its weight does "
        "not",
        "label": "no parameter",
        "why": "Flax differentiates and updates what is an nnx.Param. A plain array or nnx.Variable is kept as it is: "
        "it has the random values that it was made with, in every update.",
        "fix": "make it a parameter: nnx.Param(…) around the first values",
        "variables": ("model.hidden.w", "model.head.w"),
        "path": [(10, "made here")],
    },
    "w205_temperature_in_one_loss": {
        "severity": "warning",
        "message": "`params['actor']` (2 variables) is moved by the term that is there to train `params['log_alpha']`",
        "label": "trains `params['actor']` too",
        "why": "In the term at line 19 `params['log_alpha']` is stopped, so that it only weighs what "
        "`params['actor']` learns from. This one is there for `params['log_alpha']`; with the rest of it alive it "
        "pulls at `params['actor']` with the same weight, and what the two say cancels out.",
        "fix": "stop what is weighed here, so that the term trains the weight alone: jax.lax.stop_gradient(…)",
        "variables": ("params['actor']['w1']", "params['actor']['w2']"),
        "path": [
            (19, "the same, with the weight stopped"),
            (20, "both of them alive"),
            (21, "the loss"),
        ],
    },
    "w206_used_and_let_go": {
        "severity": "warning",
        "message": "every update of `value.params` (2 variables) starts from the first parameters and the first state "
        "of its optimizer",
        "label": "the new parameters are not kept",
        "why": "Arrays in JAX do not change. What the update made is used within it and then let go, so that each one "
        "begins where the first did.",
        "fix": "keep what `learn(value, critic, states, following)` gives back, for the next update",
        "variables": ("value.params['w1']", "value.params['w2']"),
        "path": [(43, "dropped")],
    },
    "w206_updates_for_parameters": {
        "severity": "error",
        "message": "`params` (2 variables) is replaced by the optimizer's updates: they are never added to the "
        "parameters",
        "label": "these are updates, not parameters",
        "why": "An Optax optimizer returns what is to be added to the parameters. Taken for the new parameters, it "
        "throws away the old ones, and the network is a small step from zero after every update.",
        "fix": "add them: updates, opt_state = tx.update(grads, opt_state, params); params = "
        "optax.apply_updates(params, updates)",
        "variables": ("params['b']", "params['w']"),
        "path": [(19, "taken for the new parameters")],
    },
    "w502_stored_twice": {
        "severity": "error",
        "message": "the target is computed with the parameters that are being trained: `state.target_params` "
        "(2 variables)",
        "label": "the trained parameters, a second time",
        "why": "After each update the state holds the new parameters in the place of the target as well. A target "
        "network holds still while the online one learns; here it moves with every update.",
        "fix": "keep the target's own parameters in the state, and replace them only after every so many updates",
        "variables": ("state.target_params['w1']", "state.target_params['w2']"),
        "path": [(31, "the trained parameters, a second time"), (25, "prediction and target are of one network")],
    },
    "w502_kept_alike": {
        "severity": "error",
        "message": "the target is computed with the parameters that are being trained: `critic.params` (2 variables)",
        "label": "runs after every update",
        "why": "`self.target` becomes what `self.critic` is, after every update. A target network holds still while "
        "the online one learns; here it moves with every update.",
        "fix": "replace `self.target` only after every so many updates, or average: optax.incremental_update(…)",
        "variables": ("critic.params['w1']", "critic.params['w2']"),
        "path": [(34, "runs after every update"), (16, "prediction and target are of one network")],
    },
    "w503_part_left_out": {
        "severity": "warning",
        "message": "the sync of `target_params` leaves out `target_params['body']`",
        "label": "syncs other parts of `target_params` alone",
        "why": "The loss takes its targets from `target_params['body']` too, which stays what it was when training "
        "began.",
        "fix": "sync all of `target_params`: map over the two whole trees",
        "variables": (
            "target_params['body']['in']['bias']",
            "target_params['body']['in']['kernel']",
            "target_params['body']['out']['bias']",
            "target_params['body']['out']['kernel']",
        ),
        "path": [
            (25, "the target is computed with `target_params['body']`"),
            (32, "syncs other parts of `target_params` alone"),
            (26, "the loss"),
        ],
    },
    "w204_losses_mixed_up": {
        "severity": "error",
        "message": "`params` (4 variables) is given the gradient of a loss that was not computed from "
        "it; that of the loss which was is applied by nobody",
        "label": "given the gradient of another one's loss",
        "why": "Several losses are differentiated with respect to all of them. The one that this "
        "line applies the gradient of at line 26 does not depend on it: that gradient is "
        "zero, and the right one is dropped.",
        "fix": "put each network together with the gradient of its own loss: by one order, or by names",
        "variables": ("params['arm']['v']", "params['arm']['w']", "params['walk']['v']", "params['walk']['w']"),
        "path": [(26, "the gradients come from here"), (29, "and are handed out here")],
    },
    "w205_sum_of_two_players": {
        "severity": "error",
        "message": "`params['judge']` and `params['maker']` are both moved by `first + "
        'maker_loss(params["maker"], params["judge"], noise)`, the sum of the loss of either',
        "label": "each loss moves the other network too",
        "why": "The loss of `params['judge']` is small where it tells what `params['maker']` makes "
        "from the rest; that of `params['maker']` is small where `params['judge']` is wrong "
        "about it. With respect to both, each undoes what the other teaches.",
        "fix": "take two gradients: of the loss of `params['judge']` with respect to "
        "`params['judge']` alone, and of that of `params['maker']` with respect to "
        "`params['maker']` alone",
        "variables": ("params['judge']['v']", "params['judge']['w']", "params['maker']['v']", "params['maker']['w']"),
        "path": [(28, "the sum of both losses"), (36, "the gradient is computed here")],
    },
    "w502_target_given_the_new_arrays": {
        "severity": "error",
        "message": "the target is computed with the parameters that are being trained: `critic` (2 variables)",
        "label": "`self.target` is what is trained",
        "why": "`self.target` is given `critic` after every update, as the trained network is. A "
        "target network holds still while the online one learns; here it moves with every "
        "update.",
        "fix": "give `self.target` the average, or what it was before: it is to follow slowly",
        "variables": ("critic['v']", "critic['w']"),
        "path": [(42, "`self.target` is what is trained"), (22, "prediction and target are of one network")],
    },
    "w106_float_shown_as_a_number": {
        "severity": "warning",
        "message": "`model.stiffness` is a plain float: the gradient of the loss at line 22 is asked "
        "for the arrays of `model` alone",
        "label": "a plain number",
        "why": "A filtered gradient follows JAX's arrays. A float is a setting to it, and keeps its "
        "first value, though the loss depends on it as on the others, and the program shows "
        "it round by round.",
        "fix": "make it an array, jnp.asarray(1.0) in the place of 1.0; or, if it is not to be "
        "fitted, say so: eqx.field(static=True)",
        "variables": (),
        "path": [(26, "a plain number"), (31, "asked for the arrays of `model`")],
    },
    "w106_float_declared_as_an_array": {
        "severity": "warning",
        "message": (
            "`model.offset` is a plain float: the gradient of the loss at line 29 is asked for the arrays of "
            "`model` alone"
        ),
        "label": "a plain number",
        "why": (
            "A filtered gradient follows JAX's arrays. A float is a setting to it, and keeps its first value, "
            "though the loss depends on it as on the others, and its class declares it as an array."
        ),
        "fix": (
            "make it an array, jnp.asarray(1.0) in the place of 1.0; or, if it is not to be fitted, say so: "
            "eqx.field(static=True)"
        ),
        "variables": (),
        "path": [(15, "a plain number"), (29, "asked for the arrays of `model`")],
    },
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_message_word_for_word(name: str) -> None:
    assert said(only(run(PROGRAMS / "jax" / f"{name}.py"), name[:4].upper())) == MESSAGES[name]
