"""A DQN in TensorFlow: the target is computed inside the tape with the network that is trained."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
loss_function = keras.losses.Huber()


@tf.function
def train_step(states, actions, rewards, following, done):
    with tf.GradientTape() as tape:
        best = tf.reduce_max(model(following), axis=1)
        target = rewards + (1.0 - done) * 0.99 * best  # fires: W501
        q = tf.reduce_sum(model(states) * tf.one_hot(actions, 2), axis=1)
        loss = loss_function(target, q)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


for update in range(5):
    states, following = tf.random.normal((16, 4)), tf.random.normal((16, 4))
    train_step(states, tf.random.uniform((16,), 0, 2, tf.int32), tf.random.normal((16,)), following, tf.zeros((16,)))
