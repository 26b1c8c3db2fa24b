"""The drawing of the training step, from real recordings."""

from __future__ import annotations

import pytest
from program_runner import PROGRAMS, programs, run

from whygrad.report import html_page


def drawn(name):
    """The lines of the drawing as text; `=>` where the gradient comes back, `|` before a cut."""
    [one] = run(PROGRAMS / "torch" / f"{name}.py").drawings
    found = set()
    for edge in one.edges:
        source, target = one.nodes[edge.source], one.nodes[edge.target]
        sign = {"gradient": "=>", "data": "->", "update": "applied by"}[edge.kind]
        found.add(f"{source.label} {sign} {'| ' if target.cut else ''}{target.label}")
    return found


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "w101_q_in_target_block",
            {
                "q_net -> | q_net(states)", "q_net(states) -> state_scale", "state_scale => loss", "target_net -> loss",
                "loss applied by optimizer",
            },
        ),
        (
            "w103_log_probs_item",
            {
                "policy -> | dist.log_prob(action).item()", "dist.log_prob(action).item() -> temperature",
                "policy -> temperature", "temperature => loss", "loss applied by optimizer",
            },
        ),
        (
            "w105_value_loss_left_out",
            {
                "net.body => net.policy_head", "net.body -> net.value_head", "net.value_head -> detach",
                "net.policy_head => loss", "detach -> loss", "loss applied by optimizer",
            },
        ),
        (
            "healthy_gradient_penalty",
            {
                "generator -> detach", "detach -> critic", "critic => loss", "loss applied by c_optimizer",
                "generator => critic", "critic => g_loss", "g_loss applied by g_optimizer",
            },
        ),
    ],
)  # fmt: skip
def test_lines(name, lines):
    assert drawn(name) == lines


def test_what_no_loss_is_computed_from_has_a_box():
    one = run(PROGRAMS / "torch" / "w105_layer_never_called.py")
    [missing] = {variable.rsplit(".", 1)[0] for variable in one.findings[0].variables}
    [drawing] = one.drawings
    [index] = [i for i, node in enumerate(drawing.nodes) if node.label == missing]
    assert all(index not in (edge.source, edge.target) for edge in drawing.edges)
    assert f">{missing}</text>" in html_page.render(one, "1")


def test_every_program_can_be_drawn():
    for program in programs("torch")[::5]:
        one = run(program)
        assert not [note for note in one.notes if "drawn" in note]
        assert html_page.render(one, "1")
        for drawing in one.drawings:
            assert len(drawing.nodes) <= 20
