"""tf.function with XLA, control flow in the graph, and a tf.data input."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(net.trainable_variables)


@tf.function(jit_compile=True)
def compiled_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - x) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


@tf.function
def refined_step(x):
    with tf.GradientTape() as tape:
        y = x
        for _ in tf.range(3):
            y = y + 0.1 * net(y)
        loss = tf.reduce_mean(y**2)
        if loss > 1.0:
            loss = tf.sqrt(loss)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


data = tf.data.Dataset.from_tensor_slices(tf.random.normal((32, 4))).batch(8).repeat(2)
for step, batch in enumerate(data):
    print(float(compiled_step(batch) if step % 2 else refined_step(batch)))
