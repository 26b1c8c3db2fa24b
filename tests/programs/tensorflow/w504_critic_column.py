"""A2C in TensorFlow: the critic's column meets the returns, a row."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
hidden = keras.layers.Dense(32, "tanh")(inputs)
model = keras.Model(inputs, [keras.layers.Dense(2)(hidden), keras.layers.Dense(1)(hidden)])
optimizer = keras.optimizers.Adam(1e-3)
for update in range(5):
    states, returns = tf.random.normal((24, 4)), tf.random.normal((24,))
    actions = tf.random.uniform((24,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        logits, values = model(states)
        advantage = tf.stop_gradient(returns - tf.squeeze(values, axis=1))
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        critic_loss = tf.reduce_mean(tf.square(returns - values))  # fires: W504
        loss = tf.reduce_mean(nll * advantage) + 0.5 * critic_loss
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
