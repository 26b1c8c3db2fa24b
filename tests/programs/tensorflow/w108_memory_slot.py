"""A controller writes its state into a variable and reads it back in the same step."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
controller = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh")])
reader = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
memory = tf.Variable(tf.zeros((8, 4)), trainable=False, name="memory")
optimizer = keras.optimizers.Adam(1e-3)
variables = [*controller.trainable_variables, *reader.trainable_variables]
for step in range(3):
    inputs = tf.random.normal((8, 3))
    with tf.GradientTape() as tape:
        memory.assign(controller(inputs))  # fires: W108
        loss = tf.reduce_mean((reader(memory) - 1.0) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])
