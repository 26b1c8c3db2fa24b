"""The Keras document, sample 3: the training step with a tape inside `tf.function`.

The text says that this computes and applies the gradients. It does. Note where `tape.gradient`
stands: after the `with` block, which the same text forbids further down.
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
states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))


@tf.function
def train_step(states, targets):
    with tf.GradientTape() as tape:
        q_values = model(states)
        loss = tf.reduce_mean((q_values - targets) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
    return loss


for step in range(50):
    loss = train_step(states, targets)
    if step in (0, 49):
        print(f"step {step}  loss {float(loss):.4f}")
