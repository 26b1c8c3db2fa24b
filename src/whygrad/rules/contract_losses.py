"""Which loss a declared contract speaks of.

A contract is declared beside the training step, not inside it, so its loss is found: by its name, where the program
calls a loss by the contract's name; else by what is trained after the backward pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from whygrad.flow.events import Backward, Declared, Step
from whygrad.flow.source import expression
from whygrad.rules.case import Case

_COMMON = frozenset({"loss", "losses", "fn", "function", "the", "of", "total", "compute", "self", "get", "calc"})


@dataclass(frozen=True, slots=True)
class Bound:
    """A contract with the backward passes of its loss."""

    contract: Declared
    backwards: tuple[Backward, ...]
    shared: frozenset[int] = frozenset()
    """What other contracts of the same backward pass train: the loss is a sum."""


def bound(case: Case) -> list[Bound]:
    """Every contract with its losses; one that speaks of no loss that was seen has none."""
    contracts = case.recording.contracts
    kinds = _kinds(case)
    found = _matched(_scores(case, contracts, kinds))
    result = []
    for index, contract in enumerate(contracts):
        mine = found.get(index, set())
        others = [contracts[other].trains for other, theirs in found.items() if other != index and mine & theirs]
        backwards = sorted((b for kind in mine for b in kinds[kind]), key=lambda b: b.at)
        backwards = [b for b in backwards if _in_window(contract, b)]
        result.append(Bound(contract, tuple(backwards), frozenset().union(*others)))
    return result


def steps_of(case: Case, backward: Backward) -> list[Step]:
    """The optimizer steps that a backward pass was made for: those before the next update's backward."""
    recording = case.recording
    after = [s for s in recording.steps if s.at > backward.at]
    if not after:
        return []
    following = [b.at for b in recording.backwards if b.at > after[0].at and not b.implicit]
    end = min(following, default=None)
    return [s for s in after if end is None or s.at < end]


_Kind = tuple[int, frozenset[int]]
_Score = tuple[float, float, float]


def _kinds(case: Case) -> dict[_Kind, list[Backward]]:
    """Backward passes by the call that made them and what they are for: the same loss in every update."""
    kinds: dict[_Kind, list[Backward]] = {}
    for backward in case.recording.backwards:
        if backward.implicit or backward.loss is None or backward.call == ".grad":
            continue
        kinds.setdefault((backward.stack, frozenset(_aimed_at(case, backward))), []).append(backward)
    return kinds


def _aimed_at(case: Case, backward: Backward) -> set[int]:
    """Variables that were asked for by name, else those of the optimizers that step afterwards."""
    return set(backward.wanted) or {v for s in steps_of(case, backward) for v in s.applied | s.without}


def _matched(scores: dict[tuple[int, _Kind], _Score]) -> dict[int, set[_Kind]]:
    best_first = sorted(scores, key=lambda pair: scores[pair], reverse=True)
    taken: dict[int, set[_Kind]] = {}
    spoken_for: set[_Kind] = set()
    for index, kind in best_first:
        named = scores[index, kind][0]
        if kind not in spoken_for and (index not in taken or named):
            taken.setdefault(index, set()).add(kind)
            spoken_for.add(kind)
    by_name = {index for index, kind in scores if scores[index, kind][0]}
    for index, kind in best_first:
        aimed = kind[1]
        if index not in taken:
            taken[index] = {kind}  # one backward pass of a sum of losses
        elif kind not in spoken_for and aimed and scores[index, kind][1] == len(aimed) and index not in by_name:
            taken[index].add(kind)  # another place that computes the same loss
    return taken


def _scores(
    case: Case, contracts: list[Declared], kinds: dict[_Kind, list[Backward]]
) -> dict[tuple[int, _Kind], _Score]:
    """How well each contract fits each loss; a pair that does not fit at all is left out."""
    scores = {}
    for kind, backwards in kinds.items():
        inside = [(i, c) for i, c in enumerate(contracts) if any(_in_window(c, b) for b in backwards)]
        checked = [c for _, c in inside if c.windows]
        got, aimed = frozenset[int]().union(*(b.got for b in backwards)), kind[1]
        names = names_of(case, backwards[0])
        for index, contract in inside:
            named = same_name(contract.name, names)
            only_one = bool(contract.windows) and len(checked) == 1 and not aimed
            if not (named or only_one or aimed & contract.trains or (not aimed and got & contract.trains)):
                continue
            fits = _share(got, contract.trains) - _share(got, contract.leaves)
            scores[index, kind] = float(named), float(len(aimed & contract.trains)), fits
    return scores


def _in_window(contract: Declared, backward: Backward) -> bool:
    return not contract.windows or any(begin <= backward.at < end for begin, end in contract.windows)


def _share(part: set[int] | frozenset[int], whole: frozenset[int]) -> float:
    return len(part & whole) / len(whole) if whole else 0.0


def same_name(contract: str, names: set[str]) -> bool:
    """`actor loss` is `actor_loss`, `self.actor_loss`, `compute_actor_loss`; a name of common words tells nothing."""
    wanted = _words(contract)
    return bool(wanted) and any(_words(name) == wanted for name in names)


def _words(name: str) -> frozenset[str]:
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return frozenset(part.lower() for part in parts) - _COMMON


def names_of(case: Case, backward: Backward) -> set[str]:
    """What the program calls a loss: the words of the call that asks for the gradient, and where it was computed."""
    asked, made = case.site(backward.stack), case.loss_site(backward)
    names: set[str] = set()
    if asked is not None:
        text = expression(asked, limit=400)
        if text.count("\n") == 0:
            names.update(re.findall(r"[A-Za-z_]\w*(?=\s*(?:\.(?:mean|sum|backward)\b|,|\)))", _first_argument(text)))
    if made is not None:
        names.add(made.function.rpartition(".")[2])
        target = expression(made, limit=400)
        assigned = re.match(r"\s*(?:self\.)?([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)", target)
        if assigned:
            names.add(assigned.group(1))
    return names


def _first_argument(text: str) -> str:
    """`actor_loss,` of `tape.gradient(actor_loss, variables)`; a call of a method is left as it is."""
    call = re.match(r".*?\b(?:gradient|backward|manual_backward|grad|value_and_grad)\(\s*([\w.]+)", text)
    if call:
        return call.group(1).rpartition(".")[2] + ","
    return text
