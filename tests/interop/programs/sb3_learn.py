"""Agents of Stable-Baselines3 with a feature extractor of one's own, healthy or detached.

Arguments: one training after another, each the algorithm and a list of faults (`A2C+healthy`, `PPO+cut+raise`). With
`watch` in the list, the gradients of the whole training are watched too.
"""

import json
import sys

import torch
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from watched_facts import watched, where

from whygrad.interop.sb3_callback import WhyGrad


class Features(BaseFeaturesExtractor):
    def __init__(self, space, cut):
        super().__init__(space, 16)
        self.cut = cut
        self.net = nn.Sequential(nn.Linear(space.shape[0], 16), nn.Tanh())

    def forward(self, x):
        features = self.net(x)
        cut = self.cut
        if cut:
            features = features.detach()
        return features


settings = {
    "A2C": (A2C, "CartPole-v1", {}),
    "PPO": (PPO, "CartPole-v1", {"n_steps": 64, "batch_size": 32, "n_epochs": 2}),
    "DQN": (DQN, "CartPole-v1", {"learning_starts": 50}),
    "TD3": (TD3, "Pendulum-v1", {"learning_starts": 50, "batch_size": 16}),
    "SAC": (SAC, "Pendulum-v1", {"learning_starts": 50, "batch_size": 16}),
}
torch.set_num_threads(1)


def learn(algorithm, *faults):
    kind, environment, more = settings[algorithm]
    extractor = {"features_extractor_class": Features, "features_extractor_kwargs": {"cut": "cut" in faults}}
    agent = kind("MlpPolicy", environment, policy_kwargs=extractor, device="cpu", seed=0, **more)
    told = []
    callback = WhyGrad(on_finding="raise" if "raise" in faults else told.append, watch=where([algorithm, *faults]))
    error = ""
    try:
        agent.learn(140, callback=None if "plain" in faults else callback)
    except Exception as trouble:
        error = f"{type(trouble).__name__}: {trouble}"
    report = callback.report
    return {
        "weights": sum(p.double().sum().item() for p in agent.policy.parameters()),
        "error": error[:300],
        "told": len(told),
        "codes": [f.code for f in report.findings if f.severity != "note"] if report else None,
        "lines": [f.where.line for f in report.findings if f.severity != "note"] if report else None,
        "notes": list(report.notes) if report else None,
        "updates": report.updates if report else 0,
        "watched": watched(callback),
    }


print(json.dumps([learn(*one.split("+")) for one in sys.argv[1:]]))
