"""Every manual page has its headings, fits a terminal, and tells the truth: its code does what the page says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from manual_blocks import ASKED, FRAMEWORKS, HEADINGS, NO_CODE, PREAMBLES, blocks, code_blocks, sections

from whygrad.rules.catalogue import RULES

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"

# Examples that end in an exception, with a piece of its text. The page says so in a comment.
RAISES = {
    ("W103", "torch"): "does not require grad",
    ("W104", "torch"): "does not require grad",
    ("W107", "torch"): "a second time",
    ("W107", "tensorflow"): "non-persistent GradientTape",
    ("W107", "jax"): "unexpected tracer",
    ("W108", "torch"): "modified by an inplace operation",
    ("W108", "jax"): "deleted or donated",
    ("W109", "tensorflow"): "not enough values to unpack",
}
# Examples whose gradient is there, and the fault is what becomes of it.
GRADIENT_ARRIVES = {("W201", "torch"), ("W202", "torch"), ("W202", "jax"), ("W203", "torch")}
# Rules about something that PyTorch does not do: it traces nothing.
NOTHING_IN_TORCH = {"W506"}
# The first update gave a gradient before the second one failed.
PARTIAL = {("W107", "torch")}


@cache
def results(framework: str) -> dict[str, dict]:
    """What running all blocks of one framework did, from a process that imports only that framework."""
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    environment.pop("KERAS_BACKEND", None)
    done = subprocess.run(
        [sys.executable, str(HERE / "manual_blocks.py"), framework],
        capture_output=True, text=True, env=environment, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def cases(section: str) -> list[tuple[str, str]]:
    return [
        (rule, framework) for framework in FRAMEWORKS for rule, part, _ in code_blocks(framework) if part == section
    ]


def outcome(rule: str, framework: str, section: str) -> dict:
    return results(framework)[f"{rule} {section}"]


# --- form ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_has_its_title_and_every_heading_in_order(rule):
    assert rule.manual.splitlines()[0] == f"{rule.code} {rule.name}"
    assert tuple(sections(rule.manual)) == HEADINGS
    assert all(text.strip() for text in sections(rule.manual).values())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_fits_eighty_columns_and_is_indented_by_four(rule):
    for line in rule.manual.splitlines()[1:]:
        assert len(line) <= 78, line
        assert line == line.rstrip()
        assert not line or line in HEADINGS or line.startswith("    ")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_speaks_of_every_framework_in_both_sections(rule):
    parts = sections(rule.manual)
    for section in ("Example", "Instead"):
        assert list(blocks(parts[section])) == list(FRAMEWORKS)
        for framework, block in blocks(parts[section]).items():
            if block.startswith(NO_CODE):
                assert (rule.code, framework) not in ASKED
                assert framework != "torch" or rule.code in NOTHING_IN_TORCH
                assert len(block.splitlines()) <= 2
            else:
                assert (rule.code, framework) in ASKED


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_says_how_to_say_that_it_is_meant(rule):
    assert f"`# whygrad: ok {rule.code}`" in " ".join(sections(rule.manual)["When it is meant"].split())


def test_pages_refer_only_to_rules_that_exist():
    known = {rule.code for rule in RULES}
    for rule in RULES:
        assert set(re.findall(r"\bW\d{3}\b", rule.manual)) <= known


# --- truth --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "framework"), cases("Example"))
def test_example_shows_the_fault(rule, framework):
    seen = outcome(rule, framework, "Example")
    error = RAISES.get((rule, framework))
    if error is None:
        assert seen["error"] is None
    else:
        assert error in seen["error"]
        code = next(c for r, s, c in code_blocks(framework) if (r, s) == (rule, "Example"))
        assert f"# {seen['error'].split(':')[0]}" in code or f"{seen['error'].split(':')[0]}," in code
    if "gradient" in seen and (rule, framework) not in GRADIENT_ARRIVES | PARTIAL:
        nothing = "zero" if framework == "jax" else "none"
        assert seen["gradient"], "the block names no gradient"
        assert set(seen["gradient"]) == {nothing}
    elif (rule, framework) in GRADIENT_ARRIVES:
        assert set(seen["gradient"]) == {"nonzero"}
    if "changed" in seen:
        assert seen["changed"]
        assert not any(seen["changed"])
    if "listed" in seen:
        assert seen["listed"]
        assert not any(seen["listed"])
    assert not seen.get("holds", False)


@pytest.mark.parametrize(("rule", "framework"), cases("Instead"))
def test_repair_gives_every_variable_a_gradient(rule, framework):
    seen = outcome(rule, framework, "Instead")
    assert seen["error"] is None
    assert seen.keys() & {"gradient", "changed", "listed", "holds"}
    if "gradient" in seen:
        assert seen["gradient"]
        assert set(seen["gradient"]) == {"nonzero"}
    assert all(seen.get("changed", []))
    assert all(seen.get("listed", []))
    assert seen.get("holds", True)


# --- what does not help -------------------------------------------------------------------------------------------

REMEDIES = """
def silent(loss, network):
    loss.requires_grad = True
    loss.backward()
    return all(p.grad is None for p in network.parameters())

with torch.no_grad():
    unrecorded = net(states).mean()
assert silent(unrecorded, net)                                                  # W101, W102, W103
assert silent(q_net(states).argmax(dim=1).float().mean(), q_net)                # W104
numbers = torch.tensor(net(states).tolist(), requires_grad=True)                # W103
numbers.mean().backward()
assert all(p.grad is None for p in net.parameters())

(policy_head(body(states)).mean() + 0 * value_head(body(states)).sum()).backward()
assert not value_head.weight.grad.any()                                         # W105

def fails(action, text):
    try:
        action()
    except (RuntimeError, ValueError) as error:
        assert text in str(error), error
        return True
    return False

leaf = torch.zeros(1, requires_grad=True)
result = leaf - 1.0
assert fails(lambda: torch.optim.SGD([result]), "non-leaf")                     # W106
result.retain_grad()
optimizer = torch.optim.SGD([result], lr=0.1)
result.exp().sum().backward()
optimizer.step()
assert result != -1.0 and leaf == 0.0

def carry():
    hidden, optimizer = torch.zeros(8, 16), torch.optim.SGD(cell.parameters(), lr=0.1)
    for update in range(3):
        hidden = cell(states, hidden)
        hidden.pow(2).mean().backward(retain_graph=True)
        optimizer.step()

assert fails(carry, "inplace operation")                                        # W107
actor_loss = -critic(states, actor(states)).mean()
F.mse_loss(critic(states, actions), targets).backward()
critic_optimizer.step()
assert fails(lambda: actor_loss.backward(retain_graph=True), "inplace operation")  # W108
detached = -critic(states, actor(states)).detach().mean()
assert silent(detached, actor)                                                  # W102, W108
weight = torch.tensor(2.0, requires_grad=True)
product = weight * 1
square = product * product
product.data.add_(1.0)
square.backward()
assert weight.grad == 6.0                                                       # W108: 4.0 would be right
"""


def test_folk_remedies_do_not_help():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    done = subprocess.run([sys.executable, "-c", PREAMBLES["torch"] + REMEDIES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


KERAS_FLAGS = """
net.layers[0].trainable = False
before = net.layers[0].kernel.numpy().copy()
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((net(states) - targets) ** 2)
optimizer.apply_gradients(zip(tape.gradient(loss, net.variables), net.variables))
assert (net.layers[0].kernel.numpy() != before).any()
assert len(net.trainable_variables) == 2
try:
    optimizer.apply_gradients([(tf.ones_like(v), v) for v in q_net.trainable_variables])
except ValueError as error:
    assert "Unknown variable" in str(error)
else:
    raise AssertionError("one optimizer took variables that it was not built with")
"""


def test_keras_does_what_w109_and_w202_say_of_it():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("tensorflow is not installed")
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLES["tensorflow"] + KERAS_FLAGS],
        capture_output=True, text=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
