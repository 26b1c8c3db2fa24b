"""PPO: the old log-probabilities are rightly from before; the new logits are computed one line too early."""
import tensorflow as tf

tf.random.set_seed(0)
actor = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(16, "tanh"), tf.keras.layers.Dense(2)])
optimizer = tf.keras.optimizers.Adam(1e-3)


def log_probability(logits, actions):
    return tf.gather(tf.nn.log_softmax(logits), actions, axis=1, batch_dims=1)


def train_policy(states, actions, old, advantages):
    logits = actor(states)  # fires: W101
    with tf.GradientTape() as tape:
        ratio = tf.exp(log_probability(logits, actions) - old)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantages, tf.clip_by_value(ratio, 0.8, 1.2) * advantages))
    grads = tape.gradient(loss, actor.trainable_variables)
    optimizer.apply_gradients(zip(grads, actor.trainable_variables))


states, actions = tf.random.normal((32, 4)), tf.random.uniform((32,), 0, 2, tf.int32)
old = log_probability(actor(states), actions)
train_policy(states, actions, old, tf.random.normal((32,)))
