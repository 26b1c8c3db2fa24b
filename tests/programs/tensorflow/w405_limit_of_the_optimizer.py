"""A network that hardly moves: the optimizer was made with a limit far below the norm of its gradients."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1, global_clipnorm=1e-6)  # fires: W405

for _ in range(4):
    inputs = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(inputs) - tf.reduce_sum(inputs, axis=1, keepdims=True)))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
