"""The target model is the model itself; set_weights copies it onto itself."""
import keras
import torch
from keras import ops

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
target_model = model  # fires: W502
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for update in range(6):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    with torch.no_grad():
        goal = rewards + 0.99 * ops.max(target_model(following), axis=1)
    loss = ops.mean((goal - model(states)[:, 0]) ** 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 2 == 1:
        target_model.set_weights(model.get_weights())
