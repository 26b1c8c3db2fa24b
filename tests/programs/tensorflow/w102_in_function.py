"""A tf.function step; the log-probability is stopped instead of the advantage."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(2)])
value = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
variables = [*policy.trainable_variables, *value.trainable_variables]


@tf.function
def train_step(states, actions, returns):
    with tf.GradientTape() as tape:
        log_probs = tf.nn.log_softmax(policy(states))
        chosen = tf.gather(log_probs, actions, axis=1, batch_dims=1)
        values = value(states)[:, 0]
        policy_loss = -tf.reduce_mean(tf.stop_gradient(chosen) * (returns - values))  # fires: W102
        loss = policy_loss + tf.reduce_mean((returns - values) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
    return loss


for step in range(3):
    train_step(tf.random.normal((8, 4)), tf.random.uniform((8,), 0, 2, tf.int32), tf.random.normal((8,)))
