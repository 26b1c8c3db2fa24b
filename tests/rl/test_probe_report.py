"""What probing says, from results made by hand."""

from __future__ import annotations

import json
import math

from whygrad.rl.envs.probes import PROBES, Probe
from whygrad.rl.probe_report import Answer, Result, as_data, lines, verdict


def the(name: str, actions: str) -> Probe:
    return next(probe for probe in PROBES if (probe.name, probe.actions) == (name, actions))


GOOD = Result(the("constant", "discrete"), (Answer((1.0,), 1.0, 0.98, None, 1.0, True, True),), 1, 0.5)
WRONG_VALUE = Result(
    the("discount", "discrete"),
    (Answer((1.0,), 0.5, 1.004, None, 0.0, False, True), Answer((-1.0,), 1.0, 1.0, None, 0.0, True, True)),
    2,
    12.25,
)
WRONG_ACTION = Result(the("delay", "continuous"), (Answer((1.0, 0.0), None, math.nan, 0.5, -0.9, True, False),), 2, 1.0)
SILENT = Result(the("constant", "discrete"), (Answer((1.0,), None, None, None, 1.0, True, True),), 1, 0.5)


def test_lines() -> None:
    assert lines(GOOD) == [
        "constant     discrete    passed       0.5 s  learn the value of one observation that is always worth 1"
    ]
    assert lines(WRONG_VALUE)[1:] == ["    at (1): the value is 1, should be 0.5 ± 0.1"]
    assert lines(WRONG_ACTION)[1:] == ["    at (1, 0): the action is -0.9, should be 0.5 ± 0.15"]
    assert "no answer" in lines(SILENT)[0]


def test_verdict() -> None:
    assert verdict([GOOD]) == "1 of 1 probes passed."
    assert verdict([GOOD, SILENT]) == "1 of 1 probes passed; 1 had nothing to ask: the algorithm has no values."
    assert verdict([GOOD, WRONG_VALUE, WRONG_ACTION]) == (
        "2 of 3 probes failed. The first, discount (discrete), asks an agent to carry a reward back over one step, "
        "discounted once.\nLikely broken: the target of the value: discounting, the value of the next observation, or "
        "the copies of the target network.\nFailed too, probably for the same reason: delay (continuous)."
    )


def test_data_is_json_even_where_a_value_is_not_a_number() -> None:
    good, bad = json.loads(json.dumps(as_data([GOOD, WRONG_ACTION]), allow_nan=False))
    assert (good["passed"], good["likely_broken"]) == (True, None)
    assert bad["answers"][0]["value"] is None
    assert bad["likely_broken"].startswith("credit over time")
