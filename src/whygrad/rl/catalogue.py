"""The algorithms. A new one is one file and one line here."""

from __future__ import annotations

from whygrad.rl.agent import Agent
from whygrad.rl.agents.a2c import A2C
from whygrad.rl.agents.cql import CQL
from whygrad.rl.agents.ddpg import DDPG
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.agents.reinforce import REINFORCE
from whygrad.rl.agents.sac import SAC
from whygrad.rl.agents.td3 import TD3

AGENTS: list[type[Agent]] = [DQN, REINFORCE, A2C, PPO, DDPG, TD3, SAC, CQL]
