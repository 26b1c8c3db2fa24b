"""Networks to other programs and back: TensorFlow.js layers models, ONNX, Keras' own files.

Every form is read into, or written from, one plain description of a network (`graph.py`). Only `keras_graph.py` and
`keras_file.py` import Keras, and only `onnx_writing.py` and `onnx_layers.py` import ONNX.
"""
