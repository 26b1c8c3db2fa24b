"""A report at the end of a cell, in a real kernel."""

from __future__ import annotations

import pytest
from cli_runs import SOURCE

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

SETUP = """
import torch, whygrad
from torch import nn
actor, critic = nn.Linear(4, 2), nn.Linear(2, 1)
actor_opt = torch.optim.SGD(actor.parameters(), 0.1)
critic_opt = torch.optim.SGD(critic.parameters(), 0.1)
def step(states):
    critic_loss = critic(torch.ones(8, 2)).pow(2).mean()
    critic_opt.zero_grad(); critic_loss.backward(); critic_opt.step()
    actor_loss = -critic(actor(states).detach()).mean()
    actor_opt.zero_grad(); actor_loss.backward(); actor_opt.step()
"""


@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
def test_a_report_shows_itself(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(SETUP),
        nbformat.v4.new_code_cell("whygrad.explain(step, torch.ones(8, 4))"),
    ]
    nbclient.NotebookClient(book, kernel_name="python3", timeout=120).execute()
    [shown] = book.cells[1].outputs
    html = shown["data"]["text/html"]
    assert html.startswith('<div class="whygrad" role="region"')
    assert "notebook cell:9" in html
    assert "actor(states).detach()" in html
    assert "who trains what" in html
    assert "Traceback" not in shown["data"]["text/plain"]
