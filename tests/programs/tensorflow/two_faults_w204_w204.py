"""A maker and a judge of one form, trained by one function: each list of gradients is paired with the other network."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
maker, judge = (
    keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(4)]) for _ in range(2)
)
maker_optimizer, judge_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def train_step(noise, real):
    with tf.GradientTape() as maker_tape, tf.GradientTape() as judge_tape:
        on_made, on_real = judge(maker(noise)), judge(real)
        maker_loss = tf.reduce_mean((on_made - 1.0) ** 2)
        judge_loss = tf.reduce_mean((on_real - 1.0) ** 2) + tf.reduce_mean(on_made**2)
    maker_gradients = maker_tape.gradient(maker_loss, maker.trainable_variables)
    judge_gradients = judge_tape.gradient(judge_loss, judge.trainable_variables)
    maker_optimizer.apply_gradients(zip(judge_gradients, maker.trainable_variables))  # fires: W204
    judge_optimizer.apply_gradients(zip(maker_gradients, judge.trainable_variables))  # fires: W204


for _ in range(3):
    train_step(tf.random.normal((8, 4)), tf.random.normal((8, 4)))
