"""Every preset is made of settings that its algorithm has, of the right types, for an environment it can act in."""

from __future__ import annotations

from typing import get_args, get_origin, get_type_hints

import pytest

from whygrad.rl.catalogue import AGENTS
from whygrad.rl.lanes import Lanes
from whygrad.rl.spaces import check_supported
from whygrad.trainings.presets import preset, preset_envs

pytestmark = pytest.mark.once

KINDS = {kind.NAME: kind for kind in AGENTS}


@pytest.mark.parametrize(("algo", "env"), [(algo, env) for algo in KINDS for env in preset_envs(algo)])
def test_fields_and_types(algo, env):
    kind = KINDS[algo]
    hints = get_type_hints(kind)
    for name, value in preset(algo, env).items():
        assert name in kind.__dataclass_fields__
        hint = hints[name]
        wanted = (get_origin(hint),) if get_origin(hint) is tuple else get_args(hint) or (hint,)
        assert type(value) in wanted, f"{name} = {value!r}, wanted {hint}"
    kind(**preset(algo, env)).check()


@pytest.mark.parametrize(("algo", "env"), [(algo, env) for algo in KINDS for env in preset_envs(algo)])
def test_the_environment_suits_the_algorithm(algo, env):
    lanes = Lanes(env)
    check_supported(KINDS[algo], lanes.spaces)
    lanes.close()
