"""Tasks take turns; the other heads' gradients are None in that update and left out."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
trunk = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "relu")])
heads = [keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)]) for _ in range(3)]
optimizer = keras.optimizers.Adam(1e-3)
variables = [*trunk.trainable_variables, *[v for head in heads for v in head.trainable_variables]]
optimizer.build(variables)
for step in range(9):
    inputs, labels = tf.random.normal((8, 5)), tf.random.uniform((8,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        logits = heads[step % 3](trunk(inputs))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
