"""Reptile: weights are put back a part of the way to what they were; biases before a normalisation stay near zero."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input((6,)), keras.layers.Dense(8), keras.layers.BatchNormalization(), keras.layers.ReLU(),
    keras.layers.Dense(8), keras.layers.BatchNormalization(), keras.layers.ReLU(), keras.layers.Dense(3),
])
optimizer = keras.optimizers.SGD(0.05)
for _ in range(3):
    before = model.get_weights()
    for _ in range(3):
        states, labels = tf.random.normal((16, 6)), tf.random.uniform((16,), 0, 3, tf.int32)
        with tf.GradientTape() as tape:
            given = model(states, training=True)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=given)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights))
    after = model.get_weights()
    model.set_weights([old + 0.25 * (new - old) for old, new in zip(before, after)])
