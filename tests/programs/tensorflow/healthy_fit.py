"""Functional model under fit: batch normalisation, dropout, an auxiliary output, metrics, callbacks."""
import keras
import numpy as np

keras.utils.set_random_seed(0)
inputs = keras.Input((6,))
hidden = keras.layers.BatchNormalization()(keras.layers.Dense(8, "relu")(inputs))
hidden = keras.layers.Dropout(0.2)(hidden)
main = keras.layers.Dense(1, name="main")(hidden)
extra = keras.layers.Dense(3, "softmax", name="extra")(hidden)
model = keras.Model(inputs, {"main": main, "extra": extra})
losses = {"main": "mse", "extra": "sparse_categorical_crossentropy"}
model.compile(optimizer="adam", loss=losses, metrics={"extra": ["accuracy"]})
x, y = np.random.rand(24, 6), {"main": np.random.rand(24, 1), "extra": np.random.randint(0, 3, 24)}
stop = keras.callbacks.EarlyStopping(monitor="loss", patience=3)
model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[stop])
print(model.evaluate(x, y, verbose=0))
