"""The number of the critic's loss, which has its own gradient, is added to the policy's for showing."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    states, actions = tf.random.normal((16, 4)), tf.constant(np.random.randint(0, 2, 16))
    returns = tf.constant(np.random.normal(size=16).astype("float32"))
    with tf.GradientTape(persistent=True) as tape:
        values = critic(states)[:, 0]
        critic_loss = tf.reduce_mean((returns - values) ** 2)
        advantages = (returns - values).numpy()
        log_probs = tf.gather(tf.nn.log_softmax(policy(states)), actions, batch_dims=1)
        loss = -tf.reduce_mean(log_probs * advantages) + critic_loss.numpy()
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
    grads = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(grads, critic.trainable_variables))
