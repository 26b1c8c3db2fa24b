"""The same gradients on every backend: each process agrees with one file, so all agree with each other."""

from __future__ import annotations

import numpy as np
import pytest
from battery import CASES, LOSSES, make_batch, make_engine
from make_gradients import FILE, ROWS, computed

from whygrad.rl.catalogue import AGENTS

STORED = np.load(FILE, allow_pickle=False)


@pytest.mark.parametrize(("case", "name"), LOSSES)
def test_loss_and_gradients_are_those_of_the_file(case, name):
    found = computed(case, name)
    assert sorted(found) == sorted(key for key in STORED.files if f"{key}/".startswith(f"{case}/{name}/"))
    for key, array in found.items():
        np.testing.assert_allclose(array, STORED[key], rtol=1e-5, atol=1e-5, err_msg=key)


@pytest.mark.parametrize(("case", "name"), LOSSES)
def test_every_variable_of_a_trained_network_has_a_gradient(case, name):
    keys = [key for key in STORED.files if key.startswith(f"{case}/{name}/")]
    assert keys
    assert [key for key in keys if not STORED[key].any()] == []


def test_every_agent_of_the_catalogue_is_compared():
    assert {type(agent) for agent, _ in CASES.values()} == set(AGENTS)


@pytest.mark.parametrize(("case", "name"), [("sac", "actor"), ("cql-continuous", "critic"), ("a2c", "a2c")])
def test_gradients_are_the_slopes_of_the_loss(case, name):
    """Moving all weights a little along the gradient g changes the loss by the step times |g|².

    The loss comes in float32: rounding of about 1e-7 in two losses over a distance of 2e-3 leaves 1e-4 of error.
    """
    agent, spaces = CASES[case]
    engine = make_engine(agent, spaces)
    batch = make_batch(agent, spaces, ROWS)
    _, gradients = engine.gradients(name, batch)
    length = float(np.sqrt(sum((g.astype("float64") ** 2).sum() for g in gradients.values())))
    state = engine.state()
    losses = []
    for step in (1e-3, -1e-3):
        moved = {v: state[v] + np.float32(step / length) * g for v, g in gradients.items()}
        engine.load({**state, **moved})
        losses.append(engine.gradients(name, batch)[0])
    assert (losses[0] - losses[1]) / 2e-3 == pytest.approx(length, rel=2e-3)
