"""JAX: an array of a model that the model itself stops by name, where it uses it: `stop_gradient(self.table)`.

This is how a model of Equinox marks what is no parameter, and how LoRA holds on to the full weights: the other arrays
of the model learn. A stop that is a mistake stands on the way of something that was computed.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.flow.syntax import arguments, called_at
from whygrad.rules.case import Case
from whygrad.rules.cuts.verdict import Verdict


def is_named_constant(case: Case, verdict: Verdict) -> bool:
    """Whether each stop of a verdict is given an array of a model by its name, and the model learns all the same."""
    if case.recording.framework != "jax" or not all(_names_it(case, op) for op in (verdict.op, *verdict.others)):
        return False
    networks = {case.variable(v).network.partition(".")[0] for v in verdict.variables}
    learning = {case.variable(v).network.partition(".")[0] for v in case.trained - set(verdict.variables)}
    return networks <= learning


def _names_it(case: Case, op: Op) -> bool:
    """`stop_gradient(self.table)`, or `tree_at(lambda m: m.table, model, replace_fn=stop_gradient)`."""
    site = case.site(op.stack)
    if op.kind != "stop" or len(op.inputs) != 1 or op.inputs[0] not in case.content or site is None:
        return False
    given = arguments(site)
    if called_at(site).rpartition(".")[2] == "tree_at":
        return any(name.rpartition(".")[2] == "stop_gradient" for name in given)
    return len(given) == 1 and given[0].startswith("self.")
