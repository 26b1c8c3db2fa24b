"""W105 loss-ignores

What it checks
    An optimizer holds the variable, and the loss has no term that trains it.
    The finding says which: the output, or a loss term made from it, was
    computed and dropped; the layer was never called; or the output serves
    only as a stopped weight (an advantage), without a value loss beside it.

Why it matters
    The part of the network keeps its first, random values and is used all
    the same when the agent acts or bootstraps. Keras warns with bare names
    ("Gradients do not exist for variables ['kernel', 'bias']"), PyTorch and
    JAX do not warn.

Example
    PyTorch
        features = body(states)
        log_probs = F.log_softmax(policy_head(features), dim=1)
        values = value_head(features)
        loss = F.nll_loss(log_probs, taken)
        loss.backward()                # value_head: every .grad stays None
    TensorFlow
        with tf.GradientTape() as tape:
            features = body(states)
            values = value_head(features)
            loss = cross_entropy(taken, policy_head(features))
        grads = tape.gradient(loss, value_head.trainable_variables)   # None
    JAX
        def loss_fn(heads):
            features = mlp(heads["body"], states)
            values = mlp(heads["value"], features)
            log_probs = jax.nn.log_softmax(mlp(heads["policy"], features))
            return -jnp.mean(log_probs[jnp.arange(8), taken])

        grads = jax.grad(loss_fn)(heads)       # grads["value"]: all zeros

Instead
    PyTorch
        features = body(states)
        log_probs = F.log_softmax(policy_head(features), dim=1)
        values = value_head(features)
        loss = F.nll_loss(log_probs, taken) + F.mse_loss(values, targets)
        loss.backward()
    TensorFlow
        with tf.GradientTape() as tape:
            features = body(states)
            values = value_head(features)
            loss = cross_entropy(taken, policy_head(features))
            loss += tf.reduce_mean((values - targets) ** 2)
        grads = tape.gradient(loss, value_head.trainable_variables)
    JAX
        def loss_fn(heads):
            features = mlp(heads["body"], states)
            values = mlp(heads["value"], features)
            log_probs = jax.nn.log_softmax(mlp(heads["policy"], features))
            policy_loss = -jnp.mean(log_probs[jnp.arange(8), taken])
            return policy_loss + jnp.mean((values - targets) ** 2)

        grads = jax.grad(loss_fn)(heads)

What does not help
    find_unused_parameters=True (DistributedDataParallel): ends the error, not
    the fault. The head still gets nothing.
    loss + 0 * values.sum(): gives the head a gradient of zeros. The warning
    goes away, the head learns nothing.
    allow_unused=True, unconnected_gradients=ZERO: write None another way.
    The loss argument of model.compile(), which the Keras warning asks about:
    has no part in a custom training loop.

When it is meant
    Experts and heads that take turns are quiet once the others have had
    theirs. A head that is not to be trained yet: do not give it to the
    optimizer, or freeze it. A layer without a use: remove it. Otherwise write
    `# whygrad: ok W105` on the line that the finding names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import is_statement
from whygrad.rules.case import Case
from whygrad.rules.cuts.asked_of_another import asked_of_another
from whygrad.rules.cuts.captured import captured
from whygrad.rules.cuts.centred_alone import centred_alone
from whygrad.rules.cuts.compared_alone import compared_alone
from whygrad.rules.cuts.constant_terms import constant_terms
from whygrad.rules.cuts.consumer import (
    compared_instead,
    constant_term,
    goes_past,
    repeated_operand,
    repeated_term,
    takes,
    wrong_turn,
)
from whygrad.rules.cuts.creation import created_at, whole_parts
from whygrad.rules.cuts.handed_over import handed_over
from whygrad.rules.cuts.idle_terms import idle_terms
from whygrad.rules.cuts.kept_results import kept_results
from whygrad.rules.cuts.last_use import dropped_at, last_use, routed, runs_others
from whygrad.rules.cuts.left_out_of_loop import left_out_of_loop
from whygrad.rules.cuts.loss_of_another_tape import own_loss
from whygrad.rules.cuts.missing import Missing, missing_gradients
from whygrad.rules.cuts.missing_terms import left_out, taken_by_another, without_term
from whygrad.rules.cuts.noise_instead import noise_instead
from whygrad.rules.cuts.stand_ins import network_used_instead, severity_of, stood_in, used_instead
from whygrad.rules.cuts.switched_off import switched_off
from whygrad.rules.cuts.taken_inside import taken_inside
from whygrad.rules.cuts.taught_copies import taught_copies
from whygrad.rules.cuts.terms_instead import constant_instead, repeated_instead
from whygrad.rules.cuts.unread_terms import unread_terms
from whygrad.rules.cuts.unread_twins import unread_twin
from whygrad.rules.cuts.verdict import verdicts
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.adversaries import asked_of_one
from whygrad.rules.updates.asked_in_vain import asked_in_vain
from whygrad.rules.updates.cleared import cleared_away
from whygrad.rules.updates.mistaken_holds import given_by_mistake
from whygrad.rules.updates.swapped import swapped_variables
from whygrad.rules.updates.unused_losses import unstarted
from whygrad.rules.wording import at_line, networks, plain_subject, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"
SUMMARY = "nothing computed from the variable reaches the loss: an unused layer, a dropped output, an unrelated loss"


def check(case: Case) -> Iterator[Finding]:
    """Variables that the loss is not computed from."""
    for verdict in [*verdicts(case), *idle_terms(case)]:
        if verdict.code == CODE:
            yield captured(case, verdict, NAME)
    out_of_order = cleared_away(case) | unstarted(case)  # the calls are in the wrong order: W301, W302
    out_of_order |= swapped_variables(case)  # W204: the optimizer holds the wrong ones
    out_of_order |= {v for taught in taught_copies(case) for v in taught.variables}  # W102: copies learn in their place
    out_of_order |= {v for optimizer, _ in given_by_mistake(case) for v in optimizer.holds}  # W201: so does this one
    in_vain = asked_in_vain(case)  # W204: the gradient goes to others
    for missing in missing_gradients(case):
        if missing.backward.stack in in_vain:
            continue
        own = own_loss(case, missing.backward)
        asked = asked_of_another(case, missing, set(missing.variables), own, unseen=True) if own is not None else None
        if asked is not None:
            yield asked
            continue
        variables = {v for v in missing.unreached if not _unwatched(case, missing, v)}
        variables -= routed(case, variables) | out_of_order
        if not variables:
            continue
        yield from left_out(case, missing, variables)
        yield from without_term(case, missing, variables & missing.only_weight)
        variables -= missing.dropped.keys() | missing.only_weight
        for members, finding in kept_results(case, missing, set(variables)):
            variables -= members
            yield finding
        for members, finding in network_used_instead(case, missing, _not_here(case, missing, variables)):
            variables -= members
            yield finding
        last = last_use(case, missing, variables)
        dropped: dict[Site | None, set[int]] = {}
        for variable, op in last.items():
            dropped.setdefault(dropped_at(case, missing, op, variables), set()).add(variable)
        first = next(iter(last.values())) if dropped else None
        again = repeated_term(case, missing, first) if first is not None else None
        twice = repeated_operand(case, missing, first) if first is not None and again is None else None
        if again is not None or twice is not None:
            yield repeated_instead(case, missing, set(last), next(iter(dropped)), again, twice)
            dropped = {}
        named = any(site is None or not is_statement(site) for site in dropped)
        term = constant_term(case, missing, first) if named and first is not None else None
        if term is not None and term not in dropped:
            yield constant_instead(case, missing, set(last), next(iter(dropped)), term)
            dropped = {}
        for site, members in dropped.items():
            output = last[max(members, key=lambda v: last[v].at)]
            told = None
            if site is None or not is_statement(site):  # else no name takes it, and the line to change is that one
                told = _unused(case, missing, members, site, output)
                told = told or taken_by_another(case, missing, members, output)
                told = told or unread_twin(case, missing, members, output) or _gone_past(case, missing, members, output)
                told = told or handed_over(case, missing, members, site, output)
                told = told or centred_alone(case, missing, members, output, severity_of(case, members, missing))
            told = told or _dropped(case, missing, members, site)
            yield replace(told, severity="note") if taken_inside(case, missing.backward, output) else told
        never = variables - last.keys()
        for members, finding in used_instead(case, missing, never):
            never -= members
            yield finding
        for members, finding in left_out_of_loop(case, missing, set(never)):
            never -= members
            yield finding
        for members in _by_place(case, never):
            yield (
                stood_in(case, missing, members)
                or _unused(case, missing, members, None)
                or _never(case, missing, members)
            )
    for missing in switched_off(case):
        yield from left_out(case, missing, set(missing.variables))
    yield from compared_alone(case)
    yield from noise_instead(case)
    misasked = {pair.backward.loss for pair in asked_of_one(case)}  # W205: the other loss is asked in its place
    explained = {missing.backward.stack for missing in missing_gradients(case)}
    yield from unread_terms(case, explained | {b.stack for b in case.recording.backwards if b.loss in misasked})
    yield from constant_terms(case)


def _not_here(case: Case, missing: Missing, variables: set[int]) -> set[int]:
    """Those that nothing was computed with in the function of the loss: an agent's network that only acts."""
    around = case.site(missing.backward.stack)
    place = (around.file, around.function) if around is not None else ("", "")
    last = last_use(case, missing, variables)
    return {
        v for v in variables if v not in last or all((s.file, s.function) != place for s in case.stack(last[v].stack))
    }


def _unused(
    case: Case, missing: Missing, members: set[int], computed: Site | None, output: Op | None = None
) -> Finding | None:
    """A network of its own that the loss goes past: shown at the call that takes its place."""
    around = case.site(missing.backward.stack)
    if case.recording.framework == "jax":
        around = case.loss_site(missing.backward)  # the function that JAX was given to differentiate
    if computed is not None and computed.function != getattr(around, "function", None):
        return None
    if not any(case.variable(v).parameter for v in members):
        return None
    where, loss = wrong_turn(case, missing, members), case.loss_site(missing.backward)
    if where is None or (computed is None and where == case.site(missing.backward.stack)):
        return None  # the request for the gradient itself says nothing about what takes its place
    if computed is not None:
        fits = compared_instead(case, missing, output) if output is not None else None
        where = fits or _passed_over(case, missing, members) or where
        if fits is None and output is not None and not takes(case, missing, where, output):
            return None
    who, name, it = subject(case, members), plain_subject(case, members), verb(members, case, "it", "them")
    state = f"was computed{at_line(computed, where)} and dropped" if computed else "was never computed for this loss"
    steps = [
        (computed, "output", "computed here, and dropped"),
        (where, "call", "used in its place"),
        (loss, "loss", "the loss"),
    ]
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity_of(case, members, missing),
        message=f"{who} {verb(members, case, 'gets', 'get')} no gradient: nothing made from {it} goes into the loss"
        f"{at_line(loss, where)}",
        why=f"The loss is computed from {quoted(where)}; the output of {name} {state}.",
        fix=f"let {quoted(where)} use the output of {name}, or leave {it} out of the optimizer",
        variables=case.names(members),
        where=where,
        label=f"the loss is computed from this, and nothing of {name} goes into it",
        loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=missing.update,
        seen=missing.seen,
    )


def _passed_over(case: Case, missing: Missing, members: set[int]) -> Site | None:
    """Where the computation of the loss goes on once the output was there, and takes something else."""
    if case.recording.framework == "jax":
        return None
    backward = missing.backward
    reading = [
        op.at
        for op in case.recording.ops.values()
        if op.at < backward.at and op.kind == "compute" and any(case.content.get(v) in members for v in op.inputs)
    ]
    part = case.slice(backward, reach.CERTAIN)
    after = [op for op in part.ops if op.kind == "compute" and op.at > max(reading, default=backward.at)]
    found = next((op for op in after if op.inputs and op.name != "read_value"), None)
    return case.seen_from(found.stack, backward.stack) if found is not None else None


def _unwatched(case: Case, missing: Missing, variable: int) -> bool:
    """W106's business: the tape was told not to watch."""
    tape = case.recording.tapes.get(missing.backward.tape) if missing.backward.tape is not None else None
    return tape is not None and not tape.watches_variables and variable not in tape.watched


def _by_place(case: Case, variables: set[int]) -> list[set[int]]:
    """Never computed: a whole network together, or all that an optimizer has; else the parts that are whole."""
    groups: dict[str, set[int]] = {}
    for network, members in networks(case, variables).items():
        held = case.held_alone(set(members))
        if held:
            groups[f"{network} "] = held
            members = [v for v in members if v not in held]
        whole = set(members) >= case.family(network, variables)
        for part in [set(members)] if whole else whole_parts(case, set(members)):
            # What one line made is told once: a list of layers.
            key = network if whole else str(created_at(case, part) or min(part))
            groups.setdefault(key, set()).update(part)
    return [members for members in groups.values() if members]


def _dropped(case: Case, missing: Missing, members: set[int], site: Site | None) -> Finding:
    loss = case.loss_site(missing.backward)
    received = case.recording.framework == "tensorflow"  # a functional model runs nothing but what it returns
    if site is not None and not received and runs_others(case, site, members):
        site = created_at(case, members) or site  # the call runs the whole model; the layer tells more
    who = subject(case, members)
    path = [PathStep(site, "output", "computed here, and used by nothing that reaches the loss")] if site else []
    alone = site is not None and is_statement(site)
    use = f"keep what {quoted(site)} returns" if alone else f"let the loss use {quoted(site, 'this output')}"
    if loss is not None and (site is None or (loss.file, loss.line) != (site.file, site.line)):
        path.append(PathStep(loss, "loss", "the loss, which does not use it"))
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity_of(case, members, missing),
        message=f"{who} {verb(members, case, 'gets', 'get')} no gradient: the loss{at_line(loss, site)} does "
        "not use it",
        why=f"The output was computed and dropped{', for no name takes it' if alone else ''}: no data leads from here "
        "to the loss.",
        fix=f"{use}{' and use it' if alone else ' (add its term to the loss)'}, or do not train these variables",
        variables=case.names(members),
        where=site,
        label="computed here and dropped: nothing that reaches the loss is made from it",
        loss=loss,
        path=tuple(path),
        first_update=missing.update,
        seen=missing.seen,
    )


def _gone_past(case: Case, missing: Missing, members: set[int], output: Op) -> Finding | None:
    """The computation goes on with what was there before these: named where it does."""
    where, dropped = goes_past(case, missing, members, output), case.site(output.stack)
    if where is None or (dropped is not None and is_statement(dropped)):
        return None  # a call whose result goes to no name is itself the line to change
    loss, name = case.loss_site(missing.backward), plain_subject(case, members)
    steps = [(dropped, "output", "computed here, and dropped"), (where, "call", "goes on without it"),
             (loss, "loss", "the loss")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss"
        f"{at_line(loss, where)} does not use {verb(members, case, 'it', 'them')}",
        why=f"{quoted(where)} takes what went into {name}; what came out{at_line(dropped, where)} has the same shape, "
        "and nothing uses it.",
        fix=f"let {quoted(where)} use the output of {name}, or do not train these variables",
        variables=case.names(members), where=where, label=f"goes on with what went into {name}", loss=loss,
        path=tuple(PathStep(s, op, role) for s, op, role in steps if s is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _never(case: Case, missing: Missing, members: set[int]) -> Finding:
    loss = case.loss_site(missing.backward)
    where = created_at(case, members)
    who, it = subject(case, members), verb(members, case, "it", "them")
    was, exists = verb(members, case, "it was", "they were"), verb(members, case, "It exists", "They exist")
    severity = severity_of(case, members, missing)
    if severity == "warning" and case.recording.cut_short:
        severity = "note"  # its turn may come after the updates that were asked for
    if not any(case.variable(v).parameter for v in members):
        where = None  # a plain tensor that the loss ignores: the loss is the line to look at
    path = [PathStep(where, "creation", "made here, never called")] if where else []
    if loss is not None:
        path.append(PathStep(loss, "loss", "the loss"))
    return Finding(
        code=CODE,
        rule=NAME,
        severity=severity,
        message=f"{who} {verb(members, case, 'gets', 'get')} no gradient: {was} never computed before the "
        f"loss{at_line(loss, where)}",
        why=f"{exists} and the optimizer holds {it}, but the forward pass never uses {it}.",
        fix=f"use {it} in the forward pass, or remove {it}",
        variables=case.names(members),
        where=where or loss,
        label="made here, and never used in the forward pass" if where else "the loss does not use it",
        loss=loss,
        path=tuple(path),
        first_update=missing.update,
        seen=missing.seen,
    )
