"""A preference loss whose reference was to stay behind: it is the policy itself, so that every margin is zero."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5))
reference = policy  # fires: W502
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def log_prob(logits, answers):
    return F.log_softmax(logits, dim=1).gather(1, answers).squeeze(1)


def preference_loss(prompts, chosen, rejected):
    ours = log_prob(policy(prompts), chosen) - log_prob(policy(prompts), rejected)
    with torch.no_grad():
        theirs = log_prob(reference(prompts), chosen) - log_prob(reference(prompts), rejected)
    return -F.logsigmoid(0.5 * (ours - theirs)).mean()


for update in range(6):
    prompts, chosen, rejected = torch.randn(16, 6), torch.randint(0, 5, (16, 1)), torch.randint(0, 5, (16, 1))
    loss = preference_loss(prompts, chosen, rejected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
