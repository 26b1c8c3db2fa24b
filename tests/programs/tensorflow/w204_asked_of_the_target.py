"""The gradient of the critic's loss is asked for the target network, which is stopped."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
critic, target = (
    keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)]) for _ in range(2)
)
target.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
states, rewards, following = tf.random.normal((8, 4)), tf.random.normal((8, 1)), tf.random.normal((8, 4))
with tf.GradientTape() as tape:
    goal = rewards + 0.99 * target(following)
    loss = tf.reduce_mean((tf.stop_gradient(goal) - critic(states)) ** 2)
gradients = tape.gradient(loss, target.trainable_variables)  # fires: W204
optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
