"""For its first updates one network is handed zeros, so that the other settles first; then it learns."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "tanh")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-2)
for step in range(8):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(body(tf.random.normal((8, 5)))) - 1.0) ** 2)
    variables = body.trainable_variables + head.trainable_variables
    grads = tape.gradient(loss, variables)
    if step < 4:
        grads = [tf.zeros_like(g) for g in grads[:2]] + grads[2:]
    optimizer.apply_gradients(zip(grads, variables))
