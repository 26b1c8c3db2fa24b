"""A conditional pair: the discriminator's loss is applied to the generator too."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
maker = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
judge = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
maker_optimizer, judge_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
compare = keras.losses.BinaryCrossentropy(from_logits=True)
for _ in range(4):
    sketch = tf.random.normal((16, 3))
    picture = tf.stack([tf.reduce_sum(sketch, 1), sketch[:, 0]], axis=1)
    with tf.GradientTape() as maker_tape, tf.GradientTape() as judge_tape:
        made = maker(sketch)
        yes, no = judge(tf.concat([sketch, picture], 1)), judge(tf.concat([sketch, made], 1))
        maker_loss = compare(tf.ones_like(no), no) + 10.0 * tf.reduce_mean(tf.abs(picture - made))
        judge_loss = compare(tf.ones_like(yes), yes) + compare(tf.zeros_like(no), no)
    gradients = maker_tape.gradient(maker_loss, maker.trainable_variables)
    both = judge.trainable_variables + maker.trainable_variables
    judged = judge_tape.gradient(judge_loss, both)  # fires: W205
    maker_optimizer.apply_gradients(zip(gradients, maker.trainable_variables))
    judge_optimizer.apply_gradients(zip(judged, both))
