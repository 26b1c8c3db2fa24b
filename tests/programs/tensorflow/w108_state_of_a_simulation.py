"""The coefficients of an oscillator are to be found, and its state is kept in variables."""
import tensorflow as tf

stiffness, damping = tf.Variable(0.5), tf.Variable(0.1)
place, speed = tf.Variable(1.0, trainable=False), tf.Variable(0.0, trainable=False)
optimizer = tf.keras.optimizers.Adam(0.05)
seen = tf.constant([0.9, 0.7, 0.4])


def simulate(steps):
    place.assign(1.0)
    speed.assign(0.0)
    way = []
    for _ in range(steps):
        force = -stiffness * place - damping * speed
        speed.assign_add(0.1 * force)  # fires: W108
        place.assign_add(0.1 * speed)
        way.append(place.read_value())
    return tf.stack(way)


with tf.GradientTape() as tape:
    loss = tf.reduce_mean((simulate(3) - seen) ** 2)
gradients = tape.gradient(loss, [stiffness, damping])
optimizer.apply_gradients(zip(gradients, [stiffness, damping]))
