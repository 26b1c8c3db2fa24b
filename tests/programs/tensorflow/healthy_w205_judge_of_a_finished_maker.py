"""A Wasserstein critic that is trained by itself, against a generator that is left as it is."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
maker = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
maker.trainable = False
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    real = tf.random.normal((16, 2)) + 2.0
    with tf.GradientTape() as tape:
        made = maker(tf.random.normal((16, 4)))
        between = real + tf.random.uniform((16, 1)) * (made - real)
        with tf.GradientTape() as inner:
            inner.watch(between)
            verdict = judge(between)
        slope = tf.norm(inner.gradient(verdict, between), axis=1)
        distance = tf.reduce_mean(judge(made)) - tf.reduce_mean(judge(real))
        loss = distance + 10.0 * tf.reduce_mean((slope - 1.0) ** 2)
    gradients = tape.gradient(loss, judge.trainable_variables)
    optimizer.apply_gradients(zip(gradients, judge.trainable_variables))
