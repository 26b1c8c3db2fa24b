"""Mixing weights are declared with trainable=False and handed to the optimizer."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
mixing = tf.Variable(tf.zeros((3,)), trainable=False, name="mixing")  # fires: W109
experts = [keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]) for _ in range(3)]
optimizer = keras.optimizers.Adam(1e-2)
variables = [mixing, *[v for expert in experts for v in expert.trainable_variables]]
for step in range(3):
    inputs = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        outputs = tf.concat([expert(inputs) for expert in experts], axis=1)
        loss = tf.reduce_mean((tf.reduce_sum(outputs * tf.nn.softmax(mixing), axis=1) - 1.0) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
