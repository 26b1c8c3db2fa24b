"""A Lambda layer whose function uses a frozen teacher, and one whose layer is trained beside the model."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
teacher = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh")])
teacher.trainable = False
scale = tf.Variable([0.5])

inputs = keras.Input((3,))
seen = keras.layers.Lambda(lambda x: teacher(x))(inputs)
hidden = keras.layers.Lambda(lambda h: h * scale)(keras.layers.Dense(4)(seen))
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
optimizer = keras.optimizers.SGD(0.01)
x, y = np.random.rand(16, 3).astype("float32"), np.random.rand(16, 1).astype("float32")
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    trained = [*model.trainable_variables, scale]
    optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained))
