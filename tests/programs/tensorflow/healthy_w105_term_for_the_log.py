"""A second loss is computed under the tape for the log alone: it is returned, and printed."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(4)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train_step(clean):
    noise = tf.random.normal(tf.shape(clean))
    with tf.GradientTape() as tape:
        guess = net(clean + noise)
        noise_loss = tf.reduce_mean(tf.abs(noise - guess))
        image_loss = tf.reduce_mean(tf.abs(clean - (clean + noise - guess)))
    gradients = tape.gradient(noise_loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return noise_loss, image_loss


for _ in range(3):
    noise_loss, image_loss = train_step(tf.random.normal((8, 4)))
    print(float(noise_loss), float(image_loss))
