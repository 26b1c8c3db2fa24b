"""A term of the loss is chosen by `tf.where`: the side that is taken is stopped, and the live one never is."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
teacher = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)
states, labels = tf.random.normal((8, 4)), tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
soft = tf.nn.softmax(teacher(states))
for _ in range(4):
    with tf.GradientTape() as tape:
        logits = net(states)
        task = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        match = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(soft, logits))
        match = tf.where(match > 0.0, tf.stop_gradient(match), match)  # fires: W102
        loss = task + 0.5 * match
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
