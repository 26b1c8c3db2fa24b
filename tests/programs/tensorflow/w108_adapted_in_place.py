"""MAML whose inner step is stored in the model itself, inside the outer tape."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(6):
    phases = tf.random.uniform((3, 1, 1), 0.0, 3.0)
    with tf.GradientTape() as outer:
        loss = 0.0
        for phase in phases:
            x, x_test = tf.random.uniform((8, 1)), tf.random.uniform((8, 1))
            with tf.GradientTape() as inner:
                task_loss = tf.reduce_mean((model(x) - tf.sin(x + phase)) ** 2)
            grads = inner.gradient(task_loss, model.trainable_variables)
            for weight, grad in zip(model.trainable_variables, grads):
                weight.assign_sub(0.01 * grad)  # fires: W108
            loss += tf.reduce_mean((model(x_test) - tf.sin(x_test + phase)) ** 2)
    meta = outer.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(meta, model.trainable_variables))
