"""A generator judged by a decision, in a step that leaves out gradients which are None."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
maker = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
bce = keras.losses.BinaryCrossentropy()
maker_optimizer, judge_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    real = tf.random.normal((8, 2)) + 1.0
    with tf.GradientTape() as maker_tape, tf.GradientTape() as judge_tape:
        fooled = judge(maker(tf.random.normal((8, 3))))
        known = judge(real)
        judge_loss = bce(tf.ones_like(known), known) + bce(tf.zeros_like(fooled), fooled)
        maker_loss = -tf.reduce_mean(tf.cast(fooled > 0.5, tf.float32))  # fires: W104
    grads = judge_tape.gradient(judge_loss, judge.trainable_variables)
    judge_optimizer.apply_gradients(zip(grads, judge.trainable_variables))
    grads = maker_tape.gradient(maker_loss, maker.trainable_variables)
    pairs = [(g, v) for g, v in zip(grads, maker.trainable_variables) if g is not None]
    if pairs:
        maker_optimizer.apply_gradients(pairs)
