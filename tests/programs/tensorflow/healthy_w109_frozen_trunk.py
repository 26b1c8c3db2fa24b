"""A frozen trunk under a new head: transfer learning with fit, then with a loop."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
trunk = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu")])
trunk.trainable = False
model = keras.Sequential([trunk, keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(np.random.rand(16, 6), np.random.rand(16, 1), batch_size=8, verbose=0)
optimizer = keras.optimizers.SGD(0.01)
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(tf.random.normal((8, 6))) - 1.0) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
