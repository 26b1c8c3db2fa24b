"""Eight sigmoid layers with Keras' own first weights: each takes three quarters of the gradient."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = x = keras.Input((32,))
for _ in range(8):
    x = keras.layers.Dense(32, activation="sigmoid")(x)  # fires: W403
model = keras.Model(inputs, keras.layers.Dense(5)(x))
optimizer = keras.optimizers.SGD(1e-2)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(rows, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(rows, training=True))
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply(grads, model.trainable_weights)


for _ in range(5):
    rows = tf.random.normal((32, 32))
    train_step(rows, tf.argmax(rows[:, :5], axis=1))
