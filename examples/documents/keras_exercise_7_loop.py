"""The Keras document, exercise 7: a loop with new random states and targets in every step.

The text says that this mirrors the inner loop of DQN. The step does; the loss does not: targets
that are fresh noise cannot be learned, and the mean loss only settles at about 1, the variance of
the noise. A curve that stays up here does not mean that gradients are missing.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(2),
    ]
)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)


@tf.function
def train_step(states, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


losses = []
for _ in range(300):
    states = tf.random.normal((32, 4))
    targets = tf.random.normal((32, 2))
    losses.append(float(train_step(states, targets)))

for start in (0, 100, 200):
    mean = sum(losses[start : start + 100]) / 100
    print(f"mean loss of steps {start} to {start + 99}: {mean:.4f}")
