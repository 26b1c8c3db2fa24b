"""A soft update in NumPy whose two shares are both the target's own weights."""
import keras
import tensorflow as tf


def network():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


keras.utils.set_random_seed(0)
model, target = network(), network()
target.set_weights(model.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for update in range(8):
    states, rewards, following = tf.random.normal((16, 4)), tf.random.normal((16,)), tf.random.normal((16, 4))
    goal = rewards + 0.9 * tf.reduce_max(target(following), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - model(states)[:, 0]) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    slow, fast = target.get_weights(), model.get_weights()
    for index in range(len(slow)):
        slow[index] = 0.99 * slow[index] + 0.01 * slow[index]  # fires: W503
    target.set_weights(slow)
