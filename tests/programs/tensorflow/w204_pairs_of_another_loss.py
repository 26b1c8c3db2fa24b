"""A translator and its judge: the judge's gradients are paired with the translator, whose own lie there unused."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
maker = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6, "tanh"), keras.layers.Dense(4)])
judge = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
x, y = tf.random.normal((8, 4)), tf.random.normal((8, 4))
with tf.GradientTape() as maker_tape, tf.GradientTape() as judge_tape:
    made = maker(x)
    on_made, on_real = judge(tf.concat([x, made], 1)), judge(tf.concat([x, y], 1))
    maker_loss = tf.reduce_mean((on_made - 1.0) ** 2) + tf.reduce_mean(tf.abs(made - y))
    judge_loss = tf.reduce_mean((on_real - 1.0) ** 2) + tf.reduce_mean(on_made**2)
maker_gradients = maker_tape.gradient(maker_loss, maker.trainable_variables)
judge_gradients = judge_tape.gradient(judge_loss, judge.trainable_variables)
try:
    optimizers[0].apply_gradients(zip(judge_gradients, maker.trainable_variables))  # fires: W204
    optimizers[1].apply_gradients(zip(judge_gradients, judge.trainable_variables))
except (ValueError, tf.errors.InvalidArgumentError) as error:
    print(error)
