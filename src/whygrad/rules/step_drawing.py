"""The training step as a picture: which network feeds which loss, where the gradient stops, who applies it.

Operations that only pass values on are left out; what remains are the networks, the places where a gradient stops
(those that a finding is about, and a few that are meant), the losses and the optimizers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.drawing import Drawing, Edge, EdgeKind, Node
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.ownership import LossRow, Ownership
from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.flow.variables import Variable
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding

_MOST = {"network": 6, "operation": 5, "loss": 5, "optimizer": 5}
"""Boxes of one kind: more of them would not be read."""
_LOOKED_AT = 12
"""Losses at different places that are followed."""

_CUTS = ("W101", "W102", "W103", "W104")
"""The rules that name an operation at which the gradient stops."""

Key = tuple[str, object]


def drawing(case: Case, findings: Iterable[Finding], table: Ownership | None = None) -> Drawing | None:
    """The picture of one recording; None where no gradient was asked for."""
    losses = _losses(case)
    if not losses:
        return None
    findings = [finding for finding in findings if finding.severity != "note"]
    # What is wrong with a loss itself is shown at its own box.
    faults = {f.where: f.code in _CUTS for f in findings if f.where is not None}
    lines = {(site.file, site.line) for site in losses if site is not None}
    faults = {site: cut for site, cut in faults.items() if cut or (site.file, site.line) not in lines}
    held = {v for o in case.recording.optimizers.values() for v in o.holds}
    # Ways through Python and NumPy are drawn where one of them is the fault; others are for the log.
    proofs = reach.SUGGESTED if any(f.code == "W103" for f in findings) else reach.CERTAIN
    sketch = _Sketch(case, faults, table, held, proofs)
    rows = {row.site for row in table.losses} if table is not None else set()
    rows |= {finding.loss for finding in findings}
    told = [site for site in losses if site in rows] or list(losses)
    for site in told[:_LOOKED_AT]:
        sketch.loss(site, losses[site])
    sketch.missing({name for finding in findings for name in finding.variables})
    sketch.optimizers()
    return sketch.finished()


def _losses(case: Case) -> dict[Site | None, list[Backward]]:
    """The requests for gradients by the place where their loss was computed."""
    found: dict[Site | None, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and backward.loss is not None and backward.loss in case.recording.values:
            found.setdefault(case.loss_site(backward), []).append(backward)
    return found


@dataclass(slots=True)
class _Sketch:
    """Boxes and lines while they are being collected. Boxes are known by a key: what they are, and of what."""

    case: Case
    faults: dict[Site, bool]
    """The places of findings, and whether the gradient is cut there."""
    table: Ownership | None
    held: set[int]
    proofs: frozenset[str]
    names: dict[int, str] = field(default_factory=dict)
    nodes: dict[Key, Node] = field(default_factory=dict)
    edges: dict[tuple[Key, Key], EdgeKind] = field(default_factory=dict)

    def loss(self, site: Site | None, passes: Sequence[Backward]) -> None:
        """Draw the way from the networks to one loss."""
        backward = max(passes[:_LOOKED_AT], key=self._told_apart)
        row = next((r for r in self.table.losses if r.site == site), None) if self.table is not None else None
        label = row.label if row is not None else expression(site, 40) if site is not None else "loss"
        end: Key = ("loss", site)
        self.nodes[end] = Node("loss", label or "loss", site=site)
        self._ways(backward, end)
        for optimizer in self._applying(passes) if row is None else self._in_table(row):
            self._line(end, ("optimizer", optimizer), "update")

    def _told_apart(self, backward: Backward) -> int:
        """How many networks a pass reads: before the first update a copy in JAX is the very arrays it was made of."""
        part = _this_update(self.case, backward, self.proofs)
        return len({self._called(v) for value in part.values if (v := self._parameter(value)) is not None})

    def _in_table(self, row: LossRow) -> list[int]:
        """Optimizers that apply the gradient of a loss, as the table says."""
        recording = self.case.recording
        stepped = {step.optimizer for step in recording.steps}
        order = [number for number in recording.optimizers if number in stepped]  # as in the table
        return [order[index] for index in sorted({i for cell in row.cells for i in cell.optimizers})]

    def _ways(self, backward: Backward, end: Key) -> None:
        """Follow the data forward; each value knows the boxes it comes from, and whether a gradient goes back there."""
        recording, tape = self.case.recording, backward.tape
        part = _this_update(self.case, backward, self.proofs)
        reached = reach.gradient_reach(recording, part, tape)
        stops = self._stops(backward, part)
        came_back = _landings(self.case, part, self.proofs)
        origins: dict[int, dict[Key, bool]] = {}
        left: dict[int, dict[Key, bool]] = {}
        """Where the data comes from that an operation took out of the framework."""
        for op in part.ops:
            box = self._box(op, stops)
            sources = {v: origins.get(v, {}) for v in op.inputs}
            sources |= {-at: left.get(at, {}) for at in came_back.get(op.at, ())}  # no value has such a number
            if box is not None:
                for value, known in sources.items():
                    through = value in op.inputs and any(
                        t in reached and reach.carries(recording, op, value, t, tape) for t in op.outputs
                    )
                    for key, smooth in known.items():
                        self._line(key, box, "gradient" if smooth and through else "data")
                own = [v for v in op.inputs if v in self.case.content]
                passes = any(reach.carries(recording, op, v, t, tape) for v in own for t in op.outputs if t in reached)
                for network in self._networks_read(op):
                    self._line(network, box, "gradient" if passes and self._got(network, backward) else "data")
            if not op.outputs:
                left[op.at] = {box: True} if box is not None else {k: False for s in sources.values() for k in s}
            for target in op.outputs:
                passed = origins.setdefault(target, {})
                if box is not None:
                    passed[box] = True
                    continue
                for value, known in sources.items():
                    smooth = value in op.inputs and reach.carries(recording, op, value, target, tape)
                    for key, before in known.items():
                        passed[key] = passed.get(key, False) or (before and smooth)
        if backward.loss is not None:
            for key, smooth in origins.get(backward.loss, {}).items():
                self._line(key, end, "gradient" if smooth and self._arrives(key, backward) else "data")

    def _arrives(self, key: Key, backward: Backward) -> bool:
        """Whether a gradient comes back to a box; through a network that nobody asks about it goes on to others."""
        if key[0] != "network" or backward.error is not None:
            return backward.error is None
        asked = any(v.id in backward.wanted for v in self._members(key[1]))
        return self._got(key, backward) or not asked

    def _got(self, key: Key, backward: Backward) -> bool:
        """The framework's own word on whether a network received the gradient."""
        return backward.error is None and any(v.id in backward.got for v in self._members(key[1]))

    def _stops(self, backward: Backward, part: reach.Slice) -> dict[int, Site | None]:
        """Operations that get a box of their own, by their clock: faults, and stops outside the networks."""
        found: dict[int, Site | None] = {}
        for op in part.ops:
            stack = self.case.stack(op.stack)
            place = next((site for site in self.faults if site in stack), None)
            if place is not None:
                found[op.at] = place
        named = {v.id for v in self.case.recording.variables.values() if v.parameter}
        lines = {(site.file, site.line) for site in self.faults}
        for cut in reach.cuts(self.case.recording, part, named, backward.tape):
            site = self.case.site(cut.op.stack)
            # An index, a comparison or a number read for the log needs no box; a stop that somebody wrote down does.
            told = site is not None and (site.file, site.line) in lines
            if cut.op.at not in found and cut.op.kind == "stop" and not told:
                found[cut.op.at] = site
        return found

    def _box(self, op: Op, stops: dict[int, Site | None]) -> Key | None:
        """The box that an operation belongs to; None where it only passes values on."""
        if op.at in stops:
            site = stops[op.at]
            key: Key = ("operation", site or op.at)
            if key not in self.nodes:
                fault = site is not None and site in self.faults
                text = expression(site, 40) if site is not None else ""
                cut = site is not None and self.faults.get(site, False)
                self.nodes[key] = Node("operation", text if fault and text else op.name, "", site, fault, cut)
            return key
        return next(iter(self._networks_read(op)), None)

    def _networks_read(self, op: Op) -> list[Key]:
        """The networks whose variables an operation reads."""
        found: list[Key] = []
        for value in op.inputs if op.kind != "write" else ():
            variable = self._parameter(value)
            if variable is not None:
                name = self._called(variable)
                key: Key = ("network", name)
                if key not in self.nodes:
                    self.nodes[key] = self._network(name)
                found.append(key)
        return found

    def _parameter(self, value: int) -> Variable | None:
        """The variable whose content a value is, where it is one that a network has."""
        number = self.case.content.get(value)
        variable = self.case.recording.variables.get(number) if number is not None else None
        if variable is None or variable.parameter or variable.id in self.held or not variable.registered:
            return variable
        return None

    def missing(self, names: set[str]) -> None:
        """Boxes without a line, for what a finding is about and no loss is computed from."""
        for variable in self.case.recording.variables.values():
            if variable.name in names and variable.parameter:
                name = self._called(variable)
                self.nodes.setdefault(("network", name), self._network(name))

    def _called(self, variable: Variable) -> str:
        """The box of a variable: its network, or the part of it that has a column of its own in the table."""
        if variable.id not in self.names:
            best, longest = variable.network, -1
            for column in self.table.networks if self.table is not None else ():
                for part in column.name.split(", "):
                    inside = variable.name == part or variable.name.startswith((f"{part}.", f"{part}["))
                    if inside and len(part) > longest:
                        best, longest = column.name, len(part)
            self.names[variable.id] = best
        return self.names[variable.id]

    def _members(self, name: object) -> list[Variable]:
        return [v for v in self.case.recording.variables.values() if self._called(v) == name]

    def _network(self, name: str) -> Node:
        members = self._members(name)
        column = next((n for n in self.table.networks if n.name == name), None) if self.table is not None else None
        count = "1 variable" if len(members) == 1 else f"{len(members)} variables"
        if column is not None and column.copy_of:
            return Node("network", name, f"copy of {column.copy_of}")
        frozen = bool(members) and not any(v.trainable for v in members)
        return Node("network", name, f"{count}, frozen" if frozen else count)

    def _line(self, source: Key, target: Key, kind: EdgeKind) -> None:
        if source == target:
            return
        known = self.edges.get((source, target))
        if known != "gradient":
            self.edges[source, target] = kind

    def _applying(self, passes: Sequence[Backward]) -> list[int]:
        """Optimizers that apply the gradient of a loss: of each, the first step after a backward pass."""
        found: dict[int, None] = {}
        for backward in passes[:_LOOKED_AT]:
            first: set[int] = set()
            for step in self.case.recording.steps:
                if step.at > backward.at and step.optimizer not in first:
                    first.add(step.optimizer)
                    cleared = [c.variables for c in self.case.recording.clears if backward.at < c.at < step.at]
                    if (step.applied & backward.got).difference(*cleared) and step.error is None:
                        found[step.optimizer] = None
        return list(found)

    def optimizers(self) -> None:
        """A box for each optimizer that stepped, or was given a network that is drawn."""
        recording = self.case.recording
        drawn = {v.network for v in recording.variables.values() if ("network", self._called(v)) in self.nodes}
        for optimizer in recording.optimizers.values():
            steps = [step for step in recording.steps if step.optimizer == optimizer.id]
            held = optimizer.holds or {v for step in steps for v in step.applied | step.without}
            names = list(
                dict.fromkeys(recording.variables[v].network for v in sorted(held) if v in recording.variables)
            )
            if not steps and not drawn & set(names):
                continue
            site = self.case.site(optimizer.created)
            rows = self.table.optimizers if self.table is not None else ()
            label = next((row.label for row in rows if row.site == site and site is not None), optimizer.name)
            applied = any(step.applied and step.error is None for step in steps)
            detail = f"{'updates' if applied else 'holds'} {_listed(names)}" if names else ""
            self.nodes["optimizer", optimizer.id] = Node("optimizer", label, detail, site)

    def finished(self) -> Drawing:
        """The drawing, with no more boxes than can be read."""
        kept: list[Key] = []
        for kind, most in _MOST.items():
            group = [key for key in self.nodes if key[0] == kind]
            touched = {end for ends in self.edges for end in ends}
            group.sort(key=lambda key: (not self.nodes[key].fault, key not in touched))
            kept += group[:most]
        order = [key for key in self.nodes if key in kept]
        number = {key: index for index, key in enumerate(order)}
        edges = [
            Edge(number[source], number[target], kind) for (source, target), kind in self._bridged(set(kept)).items()
        ]
        left_out = len(self.nodes) - len(order)
        return Drawing(self.case.recording.framework, tuple(self.nodes[k] for k in order), tuple(edges), left_out)

    def _bridged(self, kept: set[Key]) -> dict[tuple[Key, Key], EdgeKind]:
        """The lines, with those through boxes that are left out drawn from end to end."""
        # What comes back to an operation, and to nobody behind it, is a gradient that nobody asked for.
        passing = {target for (_, target), kind in self.edges.items() if kind == "gradient"}
        fed = {target for _, target in self.edges}
        idle = {key for key in fed - passing if key[0] == "operation"}
        edges: dict[tuple[Key, Key], EdgeKind] = {
            ends: "data" if ends[0] in idle else kind for ends, kind in self.edges.items()
        }
        for gone in [key for key in self.nodes if key not in kept and key[0] == "operation"]:
            before = [(s, kind) for (s, t), kind in edges.items() if t == gone]
            after = [(t, kind) for (s, t), kind in edges.items() if s == gone]
            for source, _ in before:
                for target, _ in after:
                    if source != target:
                        edges.setdefault((source, target), "data")
            edges = {ends: kind for ends, kind in edges.items() if gone not in ends}
        return {ends: kind for ends, kind in edges.items() if ends[0] in kept and ends[1] in kept}


def _this_update(case: Case, backward: Backward, proofs: frozenset[str]) -> reach.Slice:
    """What a loss is computed from, back to the content of the variables; how that came about is another story."""
    whole = case.slice(backward, proofs)
    inside = {op.at: op for op in whole.ops}
    landings = _landings(case, whole, proofs)
    values = {whole.loss}
    ops: dict[int, Op] = {}
    todo = [whole.loss]
    while todo:
        number = todo.pop()
        value, op = case.recording.values.get(number), case.made_by.get(number)
        if op is None or op.at not in inside or op.at in ops or (value is not None and value.variable is not None):
            continue
        ops[op.at] = op
        left = [case.recording.ops[at] for at in landings.get(op.at, ())]
        ops.update({exit_op.at: exit_op for exit_op in left})
        fresh = [v for one in (op, *left) for v in one.inputs if v not in values]
        values.update(fresh)
        todo.extend(fresh)
    return reach.Slice(whole.loss, [ops[at] for at in sorted(ops)], values)


def _landings(case: Case, part: reach.Slice, proofs: frozenset[str]) -> dict[int, list[int]]:
    """For each operation at which data came back into the framework, those at which it had left."""
    inside = {op.at for op in part.ops}
    found: dict[int, list[int]] = {}
    for handover in case.recording.handovers:
        if handover.proof in proofs and handover.entered in inside and handover.left in inside:
            found.setdefault(handover.entered, []).append(handover.left)
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
