"""The drawing of the training step, where a network and its copy begin as the same arrays."""

from __future__ import annotations

from program_runner import PROGRAMS, run


def test_a_copy_has_its_own_box_and_no_gradient_comes_back_to_it():
    [one] = run(PROGRAMS / "jax" / "w503_average_for_one_loss.py").drawings
    sign = {"gradient": "=>", "data": "->", "update": "applied by"}
    lines = {f"{one.nodes[e.source].label} {sign[e.kind]} {one.nodes[e.target].label}" for e in one.edges}
    average, loss = "optax.incremental_update(params.online,…", "jnp.mean((values(online, states)[:, 0] …"
    assert lines == {
        f"params.online -> {average}",
        f"params.target -> {average}",
        f"{average} -> {loss}",
        f"params.online => {loss}",
        f"{loss} applied by apply_updates",
    }
