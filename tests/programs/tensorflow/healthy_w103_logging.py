"""Values leave for the log, the environment and the replay buffer; a py_function stays differentiable."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
generator = np.random.default_rng(0)
q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
replay, history = [], []
state = generator.normal(size=4).astype("float32")
for step in range(5):
    action = int(np.argmax(q_net(state[None]).numpy()[0]))
    following = (state + 0.1 * action).astype("float32")
    replay.append((state, action, float(-np.abs(following).sum())))
    state = following
    batch = [replay[i] for i in generator.integers(len(replay), size=4)]
    states = tf.constant(np.stack([b[0] for b in batch]))
    actions, rewards = [b[1] for b in batch], tf.constant([b[2] for b in batch])
    with tf.GradientTape() as tape:
        q = tf.gather(q_net(states), actions, axis=1, batch_dims=1)
        squared = tf.py_function(lambda a, b: (a - b) ** 2, [q, rewards], tf.float32)
        loss = tf.reduce_mean(squared)
    gradients = tape.gradient(loss, q_net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, q_net.trainable_variables))
    history.append(loss.numpy())
print(np.mean(history), q_net.predict(np.stack([b[0] for b in replay]), verbose=0).max())
