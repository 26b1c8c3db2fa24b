"""Which loss a contract speaks of, by name; and what lies in a network that is given by name."""

from __future__ import annotations

import pytest

from whygrad.flow.variables import Variable
from whygrad.rules.contract_losses import same_name
from whygrad.trace.declared import _is_called


@pytest.mark.parametrize(
    "name", ["actor_loss", "actorLoss", "compute_actor_loss", "loss_actor", "actor_loss_fn", "ActorLoss"]
)
def test_the_same_name(name):
    assert same_name("actor loss", {"optimizer", name})


@pytest.mark.parametrize("name", ["critic_loss", "loss", "actor_critic_loss", "total_loss", ""])
def test_another_name(name):
    assert not same_name("actor loss", {name})


def test_common_words_are_no_name():
    assert not same_name("loss", {"loss"})
    assert not same_name("the total loss", {"total_loss"})


@pytest.mark.parametrize(
    ("variable", "network", "name", "inside"),
    [
        ("actor.fc1.weight", "actor", "actor", True),
        ("actor.fc1.weight", "actor", "actor.fc1", True),
        ("params['actor']['Dense_1']['kernel']", "params", "actor", True),
        ("params['actor']['Dense_1']['kernel']", "params", "params['actor']", True),
        ("actor_target.fc1.weight", "actor_target", "actor", False),
        ("critic.actor.weight", "critic", "critic", True),
        ("nets[0].weight", "nets[0]", "nets[0]", True),
        ("log_std", "log_std", "log_std", True),
    ],
)
def test_a_network_by_name(variable, network, name, inside):
    assert _is_called(Variable(0, variable, network, (), True, None), name) is inside
