"""A policy that is kept near a frozen copy of what it was: a reference stays on purpose."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((6,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(3)])
reference = keras.models.clone_model(policy)
reference.set_weights(policy.get_weights())
reference.trainable = False
optimizer = keras.optimizers.Adam(1e-3)
for update in range(6):
    states = tf.random.normal((32, 6))
    with tf.GradientTape() as tape:
        logits = policy(states)
        actions = tf.random.categorical(logits, 1)[:, 0]
        rewards = tf.cast(actions == 0, tf.float32)
        now, before = tf.nn.log_softmax(logits), tf.nn.log_softmax(reference(states))
        drift = tf.reduce_mean(tf.reduce_sum(tf.exp(now) * (now - before), axis=1))
        chosen = tf.gather(now, actions, axis=1, batch_dims=1)
        loss = 0.1 * drift - tf.reduce_mean(chosen * (rewards - tf.reduce_mean(rewards)))
    optimizer.apply_gradients(zip(tape.gradient(loss, policy.trainable_variables), policy.trainable_variables))
