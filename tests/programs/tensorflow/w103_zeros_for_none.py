"""Log-probabilities kept as floats; zeros stand in for the gradients that do not come."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
policy = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(2, "softmax")])
optimizer = keras.optimizers.Adam(1e-2)
rng = np.random.default_rng(0)
for episode in range(3):
    log_probs, rewards = [], []
    with tf.GradientTape() as tape:
        for _ in range(4):
            state = rng.normal(size=(1, 3)).astype("float32")
            probs = policy(state)[0].numpy()  # fires: W103
            action = rng.integers(2)
            log_probs.append(np.log(probs[action]))
            rewards.append(float(state[0, action]))
        loss = -tf.reduce_sum(tf.convert_to_tensor(log_probs, tf.float32) * np.array(rewards, "float32"))
    grads = tape.gradient(loss, policy.trainable_variables)
    grads = [tf.zeros_like(v) if g is None else g for g, v in zip(grads, policy.trainable_variables)]
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
