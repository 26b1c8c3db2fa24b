"""Two tapes: the generator is to fool the judge, and to match."""
import tensorflow as tf
from tensorflow import keras

generator = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])
judge = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
makes, judges = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
for _ in range(4):
    real = tf.random.normal((8, 6))
    with tf.GradientTape() as gen_tape, tf.GradientTape() as judge_tape:
        fake = generator(tf.random.normal((8, 4)))
        on_real, on_fake = judge(real), judge(fake)
        matching = tf.reduce_mean(tf.abs(real - fake))
        fooling = tf.reduce_mean(tf.square(on_fake - 1.0))
        gen_loss = fooling + 10.0 * matching
        judge_loss = tf.reduce_mean(tf.square(on_real - 1.0)) + tf.reduce_mean(tf.square(on_fake))
    gen_grads = gen_tape.gradient(gen_loss, generator.trainable_variables)
    judge_grads = judge_tape.gradient(judge_loss, judge.trainable_variables)
    makes.apply_gradients(zip(gen_grads, generator.trainable_variables))
    judges.apply_gradients(zip(judge_grads, judge.trainable_variables))
