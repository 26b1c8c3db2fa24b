"""Copies that stay on purpose: the reference of a preference loss, and an old model whose answers are kept."""

import keras
import tensorflow as tf


def network(outputs):
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(outputs)])


def kept_as_it_is(model):
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    copy.trainable = False
    return copy


tf.random.set_seed(0)
net, policy = network(6), network(1)
old, reference = kept_as_it_is(net), kept_as_it_is(policy)
optimizer = keras.optimizers.Adam(1e-3)
variables = net.trainable_variables + policy.trainable_variables
for _ in range(4):
    x, labels = tf.random.normal((16, 8)), tf.random.uniform((16,), 3, 6, tf.int32)
    better, worse = tf.random.normal((16, 8)), tf.random.normal((16, 8))
    with tf.GradientTape() as tape:
        said = net(x + 0.05 * tf.random.normal((16, 8)))
        kept = tf.nn.softmax(old(x)[:, :3] / 2)
        margin = (policy(better) - policy(worse)) - (reference(better) - reference(worse))
        loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, said, from_logits=True))
        loss += tf.reduce_mean(keras.losses.kl_divergence(kept, tf.nn.softmax(said[:, :3] / 2)))
        loss += -tf.reduce_mean(tf.math.log_sigmoid(0.1 * margin))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
