"""Fine-tuning: the parameters were listed before the head was replaced, and the optimizer gets the old list."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


class Trainer:
    def __init__(self, model, classes):
        self.model = model
        self.parameters = list(model.parameters())
        self.adapt(classes)
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.1)

    def adapt(self, classes):
        self.model.head = nn.Linear(self.model.head.in_features, classes)  # fires: W202

    def train(self, x, labels):
        loss = F.cross_entropy(self.model(x), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer(Net(), classes=3)
for update in range(4):
    trainer.train(torch.randn(8, 6), torch.randint(3, (8,)))
