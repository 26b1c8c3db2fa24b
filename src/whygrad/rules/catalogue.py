"""The list of rules, in the order in which they are run and read."""

from __future__ import annotations

import difflib
from types import ModuleType

from whygrad.rules import (
    w101_unrecorded,
    w102_stopped,
    w103_left_framework,
    w104_not_differentiable,
    w105_loss_ignores,
    w106_not_watched,
    w107_used_up,
    w108_overwritten,
    w109_frozen,
    w201_not_in_optimizer,
    w202_stale_parameters,
    w203_unregistered,
    w204_crossed_wires,
    w205_wrong_network_trained,
    w206_update_discarded,
    w301_cleared_before_step,
    w302_step_without_gradient,
    w303_clipped_out_of_order,
    w304_never_cleared,
    w401_zero_gradient,
    w402_non_finite,
    w403_vanishing,
    w404_exploding,
    w405_clipped_away,
    w501_target_not_stopped,
    w502_target_is_online,
    w503_target_never_synced,
    w504_broadcast,
    w505_sampled_action,
    w506_retraced,
)
from whygrad.rules.finding import Rule


def _rule(module: ModuleType) -> Rule:
    return Rule(module.CODE, module.NAME, module.SUMMARY, module.check, module.__doc__ or "")


RULES = [
    _rule(w101_unrecorded),
    _rule(w102_stopped),
    _rule(w103_left_framework),
    _rule(w104_not_differentiable),
    _rule(w105_loss_ignores),
    _rule(w106_not_watched),
    _rule(w107_used_up),
    _rule(w108_overwritten),
    _rule(w109_frozen),
    _rule(w201_not_in_optimizer),
    _rule(w202_stale_parameters),
    _rule(w203_unregistered),
    _rule(w204_crossed_wires),
    _rule(w205_wrong_network_trained),
    _rule(w206_update_discarded),
    _rule(w301_cleared_before_step),
    _rule(w302_step_without_gradient),
    _rule(w303_clipped_out_of_order),
    _rule(w304_never_cleared),
    _rule(w401_zero_gradient),
    _rule(w402_non_finite),
    _rule(w403_vanishing),
    _rule(w404_exploding),
    _rule(w405_clipped_away),
    _rule(w501_target_not_stopped),
    _rule(w502_target_is_online),
    _rule(w503_target_never_synced),
    _rule(w504_broadcast),
    _rule(w505_sampled_action),
    _rule(w506_retraced),
]

CODES = {rule.code: rule for rule in RULES}


def find(word: str) -> Rule:
    """A rule by its code or its name; KeyError with a suggestion where there is none."""
    wanted = word.strip().lower()
    for rule in RULES:
        if wanted in (rule.code.lower(), rule.name):
            return rule
    known = [rule.code for rule in RULES] + [rule.name for rule in RULES]
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5) or difflib.get_close_matches(
        wanted.upper(), known, n=1, cutoff=0.5
    )
    hint = f" Did you mean {near[0]}?" if near else ""
    raise KeyError(f"there is no rule {word!r}.{hint} `whygrad rules` lists them all.")
