"""A functional model under fit: a Lambda stops one of two branches."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
image, text = keras.Input((6,), name="image"), keras.Input((5,), name="text")
seen = keras.layers.Dense(4, name="seen")(image)
read = keras.layers.Dense(4, name="read")(text)
read = keras.layers.Lambda(lambda x: keras.ops.stop_gradient(x))(read)  # fires: W102
output = keras.layers.Dense(1, name="score")(keras.layers.Concatenate()([seen, read]))
model = keras.Model([image, text], output)
model.compile(optimizer="sgd", loss="mse")
images, texts = np.random.rand(16, 6).astype("float32"), np.random.rand(16, 5).astype("float32")
model.fit([images, texts], np.random.rand(16, 1).astype("float32"), epochs=1, batch_size=4, verbose=0)
