"""One network with an actor and a critic; the function that builds its actor's optimizer is handed all of it."""
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, make_actor_optimizer, make_critic_optimizer):
        super().__init__()
        self.actor_body, self.actor_head = nn.Linear(3, 16), nn.Linear(16, 1)
        self.critic_body, self.critic_head = nn.Linear(4, 16), nn.Linear(16, 1)
        critic = [*self.critic_body.parameters(), *self.critic_head.parameters()]
        self.actor_optimizer = make_actor_optimizer(self.parameters())  # fires: W205
        self.critic_optimizer = make_critic_optimizer(critic)

    def act(self, states):
        return torch.tanh(self.actor_head(torch.relu(self.actor_body(states))))

    def value(self, states, actions):
        return self.critic_head(torch.relu(self.critic_body(torch.cat([states, actions], dim=1))))


torch.manual_seed(0)
agent = Agent(lambda params: torch.optim.Adam(params, lr=1e-3), lambda params: torch.optim.Adam(params, lr=1e-3))
for update in range(6):
    states, actions, returns = torch.randn(16, 3), torch.randn(16, 1), torch.randn(16, 1)
    critic_loss = (agent.value(states, actions) - returns).pow(2).mean()
    agent.zero_grad()
    critic_loss.backward()
    agent.critic_optimizer.step()
    actor_loss = -agent.value(states, agent.act(states)).mean()
    agent.zero_grad()
    actor_loss.backward()
    agent.actor_optimizer.step()
