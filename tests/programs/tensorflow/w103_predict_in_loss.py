"""Q-values for the loss come from predict()."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
q_net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
scale = tf.Variable(1.0, name="scale")
optimizer = keras.optimizers.Adam(1e-3)
variables = [*q_net.trainable_variables, scale]
for update in range(2):
    states, targets = tf.random.normal((8, 4)), tf.random.normal((8, 2))
    with tf.GradientTape() as tape:
        q = q_net.predict(states, verbose=0)  # fires: W103
        loss = tf.reduce_mean((targets - scale * q) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
