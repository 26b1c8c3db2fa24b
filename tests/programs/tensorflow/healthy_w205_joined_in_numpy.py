"""The judge is shown a batch that NumPy joined of real and made rows; the maker's loss is applied to the maker."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
maker = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(2)])
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1, "sigmoid")])
both = keras.Sequential([maker, judge])
judge_optimizer, maker_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
crossentropy = keras.losses.BinaryCrossentropy()
truth = np.array([[1.0]] * 8 + [[0.0]] * 8, "float32")
for _ in range(4):
    noise = rng.normal(size=(8, 3)).astype("float32")
    rows = np.concatenate((rng.normal(size=(8, 2)).astype("float32"), maker(noise)))
    with tf.GradientTape() as tape:
        judge_loss = crossentropy(truth, judge(rows))
    gradients = tape.gradient(judge_loss, judge.trainable_variables)
    judge_optimizer.apply_gradients(zip(gradients, judge.trainable_variables))
    with tf.GradientTape() as tape:
        maker_loss = crossentropy(np.ones((8, 1), "float32"), both(noise))
    gradients = tape.gradient(maker_loss, maker.trainable_variables)
    maker_optimizer.apply_gradients(zip(gradients, maker.trainable_variables))
