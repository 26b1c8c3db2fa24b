"""PPO whose old probabilities are computed anew with the policy that is trained: only the entropy bonus trains."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
policy = keras.Sequential(
    [keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(2, activation="softmax")]
)
optimizer = keras.optimizers.Adam(1e-3)
for _update in range(4):
    states, advantages = tf.random.normal((8, 3)), tf.random.normal((8,))
    with tf.GradientTape() as tape:
        probs, old_probs = policy(states), policy(states)
        gains = []
        for new, old, advantage in zip(probs, old_probs, advantages, strict=True):
            ratio = new[0] / old[0]  # fires: W401
            gains.append(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
        entropy = -tf.reduce_mean(probs * tf.math.log(probs))
        loss = -tf.reduce_mean(tf.stack(gains)) - 0.01 * entropy
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables, strict=True))
