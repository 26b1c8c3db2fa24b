"""First-order MAML: the inner step is stored in the model, and the old weights come back before the outer update."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(6):
    phase = tf.random.uniform((), 0.0, 3.0)
    before = model.get_weights()
    with tf.GradientTape() as outer:
        x, x_test = tf.random.uniform((8, 1)), tf.random.uniform((8, 1))
        with tf.GradientTape() as inner:
            task_loss = tf.reduce_mean((model(x) - tf.sin(x + phase)) ** 2)
        grads = inner.gradient(task_loss, model.trainable_variables)
        for weight, grad in zip(model.trainable_variables, grads):
            weight.assign_sub(0.01 * grad)
        loss = tf.reduce_mean((model(x_test) - tf.sin(x_test + phase)) ** 2)
    meta = outer.gradient(loss, model.trainable_variables)
    model.set_weights(before)
    optimizer.apply_gradients(zip(meta, model.trainable_variables))
