"""A judge whose slope is punished in every seventh update: that tape is opened late, inside of another one."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
judge = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for update in range(15):
    real, made = tf.random.normal((8, 2)) + 1.0, tf.random.normal((8, 2))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.softplus(judge(made)) + tf.nn.softplus(-judge(real)))
        if update % 7 == 6:
            with tf.GradientTape() as inner:
                inner.watch(real)
                verdict = judge(real)
            loss += tf.reduce_mean(inner.gradient(verdict, real) ** 2)
    gradients = tape.gradient(loss, judge.trainable_variables)
    optimizer.apply_gradients(zip(gradients, judge.trainable_variables))
