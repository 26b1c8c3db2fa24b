"""The index of the best action is maximised in place of its value."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
scale = tf.Variable(1.0, name="scale")
optimizer = keras.optimizers.Adam(1e-3)
variables = [*q_net.trainable_variables, scale]
for update in range(3):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        best = tf.argmax(q_net(states), axis=1)  # fires: W104
        loss = -scale * tf.reduce_mean(tf.cast(best, tf.float32))
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
