"""A physics-informed network: the residual uses a derivative that is taken after the outer tape closed."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((1,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
points = tf.random.uniform((16, 1))
with tf.GradientTape() as outer:
    outer.watch(points)
    with tf.GradientTape() as inner:
        inner.watch(points)
        u = net(points)
du = inner.gradient(u, points)  # fires: W107
curvature = outer.gradient(du, points)
print(curvature)
