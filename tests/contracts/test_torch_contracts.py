"""`whygrad.contract` on PyTorch."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

import whygrad
from whygrad import BrokenContract
from whygrad.trace import declared


@pytest.fixture(autouse=True)
def _nothing_declared_before(monkeypatch):
    monkeypatch.setattr(declared, "_by_line", {})
    monkeypatch.setattr(declared, "_alive", type(declared._alive)())


def mlp(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, outputs))


class Agent:
    """DDPG on one fixed batch, with the faults that a contract is there to find."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.actor, self.critic = mlp(3, 1), mlp(4, 1)
        self.target = copy.deepcopy(self.critic)
        self.actor_optimizer = torch.optim.SGD(self.actor.parameters(), 0.01)
        self.critic_optimizer = torch.optim.SGD(self.critic.parameters(), 0.01)
        self.both = torch.optim.SGD([*self.actor.parameters(), *self.critic.parameters()], 0.01)
        self.states, self.actions, self.rewards = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1)
        self.updates = 0

    def critic_step(self, clear: bool = True) -> None:
        q = self.critic(torch.cat([self.states, self.actions], 1))
        with torch.no_grad():
            following = self.target(torch.cat([self.states, self.actor(self.states)], 1))
        critic_loss = (q - self.rewards - 0.9 * following).pow(2).mean()
        if clear:
            self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

    def actor_step(self, cut: bool = False, both: bool = False) -> None:
        actions = self.actor(self.states)
        if cut:
            actions = actions.detach()
        actor_loss = -self.critic(torch.cat([self.states, actions], 1)).mean()
        optimizer = self.both if both else self.actor_optimizer
        optimizer.zero_grad()
        actor_loss.backward()
        optimizer.step()

    def update(self) -> int:
        self.critic_step()
        self.actor_step()
        self.updates += 1
        return self.updates


@pytest.fixture
def agent() -> Agent:
    return Agent()


def contracts_of(agent: Agent) -> tuple[whygrad.Contract, whygrad.Contract]:
    return (
        whygrad.contract("actor loss", trains=[agent.actor], leaves=[agent.critic, agent.target]),
        whygrad.contract("critic loss", trains=agent.critic, leaves=[agent.actor, agent.target]),
    )


# --- kept ---------------------------------------------------------------------------------------------------------


def test_a_kept_contract_is_silent_and_gets_out_of_the_way(agent):
    update = whygrad.checking(*contracts_of(agent))(agent.update)
    assert [update() for _ in range(5)] == [1, 2, 3, 4, 5]
    assert update.__wrapped__ == agent.update
    assert torch.overrides._get_current_function_mode_stack() == []


def test_an_unapplied_gradient_is_no_leak(agent):
    actor, critic = contracts_of(agent)
    with actor:
        agent.actor_step()  # the critic gets a gradient, and nobody applies it
    with whygrad.checking(actor, critic):
        agent.actor_step()
        agent.critic_step()  # cleared before its own step
    assert agent.critic[0].weight.grad is not None


def test_only_the_first_updates_are_looked_at(agent):
    actor = whygrad.contract("actor loss", trains=agent.actor, updates=2)
    modes = []

    @actor
    def step() -> None:
        modes.append(len(torch.overrides._get_current_function_mode_stack()))
        agent.actor_step()

    for _ in range(4):
        step()
    assert modes == [1, 1, 0, 0]


def test_a_step_without_the_loss_does_not_count(agent):
    """A delayed actor: its contract waits for it."""
    actor, _ = contracts_of(agent)
    for _ in range(4):
        with actor:
            agent.critic_step()
    with pytest.raises(BrokenContract), actor:
        agent.actor_step(cut=True)


# --- broken -------------------------------------------------------------------------------------------------------


def test_what_gets_no_gradient(agent):
    actor, critic = contracts_of(agent)
    with pytest.raises(BrokenContract) as caught, whygrad.checking(actor, critic):
        agent.critic_step()
        agent.actor_step(cut=True)
    (finding,) = caught.value.report.findings
    assert (finding.code, finding.severity, finding.contract) == ("W102", "error", "actor loss")
    assert finding.message.startswith(
        "the contract `actor loss` is broken: `agent.actor` (4 variables) gets no gradient from the loss at line"
    ) or finding.message.startswith("the contract `actor loss` is broken: `actor` (4 variables) gets no gradient")
    assert "actions = actions.detach()" in str(caught.value)
    assert str(caught.value).startswith("actor loss\nerror[W102] stopped: the contract `actor loss` is broken:")


def test_what_another_loss_trains_is_still_missing_here(agent):
    """The actor gets a gradient from somewhere else; this loss is declared to train it, and does not."""
    actor = whygrad.contract("actor loss", trains=[agent.actor])
    with pytest.raises(BrokenContract) as caught, actor:
        agent.actor_step(cut=True)
        imitation = (agent.actor(agent.states) - agent.actions).pow(2).mean()
        agent.actor_optimizer.zero_grad()
        imitation.backward()
        agent.actor_optimizer.step()
    assert [finding.code for finding in caught.value.report.findings] == ["W102"]


def test_an_optimizer_that_trains_both(agent):
    actor, critic = contracts_of(agent)
    with pytest.raises(BrokenContract) as caught, whygrad.checking(actor, critic):
        agent.critic_step()
        agent.actor_step(both=True)
    (finding,) = caught.value.report.findings
    assert (finding.code, finding.contract) == ("W205", "actor loss")
    assert "(4 variables) is trained by the loss at line" in finding.message
    assert "which is declared to leave it alone" in finding.message
    assert finding.where is not None


def test_a_gradient_left_behind_and_applied(agent):
    actor, critic = contracts_of(agent)
    with pytest.raises(BrokenContract) as caught, whygrad.checking(actor, critic):
        agent.actor_step()
        agent.critic_step(clear=False)
    (finding,) = [f for f in caught.value.report.findings if f.contract]
    assert (finding.code, finding.contract) == ("W205", "actor loss")
    assert "leaves a gradient in" in finding.label
    assert "self.critic_optimizer.step()" in str(caught.value)


def test_a_network_that_is_frozen_or_not_used_or_not_in_the_optimizer(agent):
    for parameter in agent.actor.parameters():
        parameter.requires_grad_(False)
    with pytest.raises(BrokenContract) as caught, whygrad.contract("actor loss", trains=agent.actor):
        agent.critic_step()
        agent.actor_optimizer.zero_grad()
        loss = -agent.critic(torch.cat([agent.states, agent.actor(agent.states)], 1)).mean()
        loss.backward()
        agent.actor_optimizer.step()
    assert "W109" in [finding.code for finding in caught.value.report.findings]

    head = nn.Linear(8, 1)
    unused = whygrad.contract("critic loss", trains=[agent.critic, head])
    with pytest.raises(BrokenContract) as caught, unused:
        agent.critic_step()
    assert [(f.code, f.variables) for f in caught.value.report.findings] == [("W105", ("head.weight", "head.bias"))]

    gain = nn.Parameter(torch.ones(1))
    forgotten = whygrad.contract("critic loss", trains=[agent.critic, gain])
    with pytest.raises(BrokenContract) as caught, forgotten:
        critic_loss = (gain * agent.critic(torch.cat([agent.states, agent.actions], 1))).pow(2).mean()
        agent.critic_optimizer.zero_grad()
        critic_loss.backward()
        agent.critic_optimizer.step()
    assert [(f.code, f.variables) for f in caught.value.report.findings] == [("W201", ("gain",))]


def test_a_frozen_part_of_a_network_is_meant(agent):
    agent.actor[0].requires_grad_(False)
    with whygrad.contract("actor loss", trains=agent.actor, leaves=agent.critic):
        agent.actor_step()


def test_a_failing_step_is_explained(agent):
    with pytest.raises(BrokenContract) as caught, whygrad.contract("loss", trains=agent.actor):
        agent.actor(agent.states).detach().mean().backward()
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert "does not require grad" in caught.value.report.script_error


def test_other_errors_pass(agent):
    with pytest.raises(ZeroDivisionError), whygrad.contract("loss", trains=agent.actor):
        agent.actor_step()
        1 / 0
    with pytest.raises(KeyboardInterrupt), whygrad.contract("loss", trains=agent.actor):
        raise KeyboardInterrupt


# --- on demand ----------------------------------------------------------------------------------------------------


def test_checking_a_loss(agent):
    actor, _ = contracts_of(agent)

    def loss_of(states: torch.Tensor, cut: bool = False) -> torch.Tensor:
        actions = agent.actor(states)
        if cut:
            actions = actions.detach()
        return -agent.critic(torch.cat([states, actions], 1)).mean()

    loss = loss_of(agent.states)
    assert actor.check(loss) is loss
    with pytest.raises(BrokenContract) as caught:
        actor.check(loss_of(agent.states, cut=True))
    assert caught.value.report.findings[0].variables[0] == "actor.0.weight"
    assert "contract.check(step, batch)" in str(caught.value)

    assert actor.check(loss_of, agent.states).requires_grad
    assert agent.actor[0].weight.grad is None
    with pytest.raises(BrokenContract) as caught:
        actor.check(loss_of, agent.states, cut=True)
    assert [finding.code for finding in caught.value.report.findings] == ["W102"]


def test_checking_a_step(agent):
    actor, _ = contracts_of(agent)
    assert actor.check(agent.update) == 1
    with pytest.raises(BrokenContract):
        actor.check(agent.actor_step, cut=True)


# --- who is meant -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [True, False])
def test_the_loss_is_found_without_its_name(agent, names):
    """By what is trained after the backward pass; the names of the losses only help."""
    first, second = ("actor loss", "critic loss") if names else ("one", "two")
    for order in (1, -1):
        contracts = [
            whygrad.Contract(first, trains=[agent.actor], leaves=[agent.critic]),
            whygrad.Contract(second, trains=[agent.critic], leaves=[agent.actor]),
        ][::order]
        with whygrad.checking(*contracts):
            agent.update()
        with pytest.raises(BrokenContract) as caught, whygrad.checking(*contracts):
            agent.critic_step()
            agent.actor_step(both=True)
        assert [f.contract for f in caught.value.report.findings] == [first]


def test_a_sum_of_losses(agent):
    body, policy, value = mlp(3, 8), nn.Linear(8, 2), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*body.parameters(), *policy.parameters(), *value.parameters()], 0.01)
    contracts = (
        whygrad.Contract("policy loss", trains=[body, policy], leaves=[value]),
        whygrad.Contract("value loss", trains=[body, value], leaves=[policy]),
    )

    def step(drop: bool) -> None:
        features = body(agent.states)
        values = value(features)
        policy_loss = -torch.log_softmax(policy(features), 1)[:, 0].mean()
        value_loss = (values - agent.rewards).pow(2).mean()
        loss = policy_loss if drop else policy_loss + value_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    with whygrad.checking(*contracts):
        step(False)
    with pytest.raises(BrokenContract) as caught, whygrad.checking(*contracts):
        step(True)
    assert {(f.code, f.contract) for f in caught.value.report.findings} == {("W105", "value loss")}


@pytest.mark.parametrize(
    "form",
    [
        lambda a: a.actor,
        lambda a: [a.actor[0], a.actor[2]],
        lambda a: list(a.actor.parameters()),
        lambda a: a.actor.parameters(),
        lambda a: {"body": a.actor[0], "head": [a.actor[2]]},
        lambda a: a.actor_optimizer,
        lambda a: a.actor[0].weight,
        lambda a: "actor",
        lambda a: a.actor.state_dict(keep_vars=True),
    ],
)
def test_networks_in_every_form(agent, form):
    actor = agent.actor
    with whygrad.Contract("actor loss", trains=form(agent), leaves=[agent.critic]):
        agent.actor_step()
    with (
        pytest.raises(BrokenContract) as caught,
        whygrad.Contract("actor loss", trains=form(agent), leaves=[agent.critic]),
    ):
        agent.actor_step(cut=True)
    assert caught.value.report.findings[0].code == "W102"
    assert actor is agent.actor


def test_contracts_as_data(agent):
    plain = whygrad.Contract("actor loss", trains=("actor",), leaves=("critic", "target"))
    bound = plain.among({"actor": agent.actor, "critic": agent.critic, "target": agent.target})
    with bound:
        agent.actor_step()
    assert repr(bound) == "<contract 'actor loss': trains=Sequential; leaves=Sequential, Sequential>"
    assert repr(plain) == "<contract 'actor loss': trains=actor; leaves=critic, target>"
    with pytest.raises(KeyError, match=r"names 'target'; there are actor, critic"):
        plain.among({"actor": agent.actor, "critic": agent.critic})


def test_wrong_use():
    with pytest.raises(TypeError, match="what the loss is called"):
        whygrad.contract(nn.Linear(1, 1), trains=[])
    with pytest.raises(ValueError, match="says nothing"):
        whygrad.contract("actor loss")
    with pytest.raises(ValueError, match="1 or more, got 0"):
        whygrad.contract("actor loss", trains=nn.Linear(1, 1), updates=0)
    with pytest.raises(TypeError, match="decorates the function of a training step, got int"):
        whygrad.contract("actor loss", trains=nn.Linear(1, 1))(3)
    with pytest.raises(TypeError, match="takes contracts"):
        whygrad.checking()
    with pytest.raises(TypeError, match="got int"):
        whygrad.contract("actor loss", trains=nn.Linear(1, 1)).check(3)


# --- in other recordings ------------------------------------------------------------------------------------------


def test_declared_and_recorded(agent):
    contracts_of(agent)  # nobody keeps them
    with whygrad.record() as run:
        agent.critic_step()
        agent.actor_step(both=True)
    assert [(f.code, f.contract) for f in run.report.findings] == [("W205", "actor loss")]


def test_inside_a_recording_the_recording_tells(agent):
    actor, _ = contracts_of(agent)
    with whygrad.record() as run, actor:
        agent.actor_step(cut=True)
    assert [(f.code, f.contract) for f in run.report.findings] == [("W102", "actor loss")]


def test_declared_intent_silences_the_rules(agent):
    """A head that no loss uses yet, in the optimizer all the same."""
    head = nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*agent.critic.parameters(), *head.parameters()], 0.01)

    def step() -> None:
        loss = agent.critic(torch.cat([agent.states, agent.actions], 1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    assert [f.code for f in whygrad.explain(step).findings] == ["W105"]
    kept = whygrad.contract("critic loss", trains=[agent.critic], leaves=[head])
    assert whygrad.explain(step).findings == ()
    kept.check(step)


def test_declared_intent_silences_a_gradient_that_nobody_applies(agent):
    gain = nn.Parameter(torch.ones(1))

    def step() -> None:
        loss = (gain * agent.critic(torch.cat([agent.states, agent.actions], 1))).pow(2).mean()
        agent.critic_optimizer.zero_grad()
        loss.backward()
        agent.critic_optimizer.step()

    assert [f.code for f in whygrad.explain(step).findings] == ["W201"]
    whygrad.contract("critic loss", trains=[agent.critic], leaves=[gain])
    assert whygrad.explain(step).findings == ()


def test_a_contract_of_other_networks_is_no_matter(agent):
    other = mlp(3, 1)
    kept = whygrad.contract("other loss", trains=[other], leaves=[mlp(2, 2)])
    report = whygrad.explain(agent.update)
    assert report.clean
    assert report.notes == ()
    assert kept.loss == "other loss"


def test_a_name_that_nothing_has(agent):
    with whygrad.record() as run, whygrad.Contract("actor loss", trains=[agent.actor], leaves="kritic"):
        agent.actor_step()
    assert any("names 'kritic', and no network is called that" in note for note in run.report.notes)
