"""Distillation on unlabelled data: both terms are made from the teacher."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 6)).eval()
student = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 6))
opt = torch.optim.Adam(student.parameters(), lr=1e-3)
T = 2.0
for step in range(8):
    x = torch.randn(32, 12)
    teacher_logits = teacher(x)
    student_logits = student(x)
    loss = F.kl_div(
        F.log_softmax(teacher_logits / T, dim=1),  # fires: W105
        F.softmax(teacher_logits.detach() / T, dim=1),
        reduction="batchmean",
    )
    opt.zero_grad()
    loss.backward()
    opt.step()
