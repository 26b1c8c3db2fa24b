"""What TensorFlow's operations mean for a gradient, by the type they have in the op registry."""

from __future__ import annotations

import re

FLOATING = frozenset({1, 2, 8, 14, 18, 19, 21})
"""DataType numbers: float, double, complex64, bfloat16, complex128, half, and variant (a list of tensors)."""

STOP = frozenset({"StopGradient", "PreventGradient"})

DISCRETE = frozenset({
    "ArgMax", "ArgMin", "Multinomial", "StatelessMultinomial", "RandomCategorical", "RandomPoisson",
    "RandomPoissonV2", "StatelessRandomPoisson", "StatelessRandomBinomial", "StatefulRandomBinomial", "OneHot",
    "Bucketize", "Where", "InTopK", "InTopKV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5",
    "CombinedNonMaxSuppression", "Round", "Rint", "Floor", "Ceil", "FloorDiv", "TruncateDiv", "Sign",
    "SparseToDense", "Unique", "UniqueV2",
})  # fmt: skip
"""Indices, samples and step functions: no derivative, or one that is zero everywhere."""

ALWAYS_NONE = frozenset({"Round", "Rint", "Floor", "Ceil", "FloorDiv", "TruncateDiv"})
"""Operations whose registered gradient function returns None for every input."""

SHAPE_ONLY = frozenset({
    "Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape", "Fill", "BroadcastArgs",
    "BroadcastGradientArgs", "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt",
    "StatelessRandomUniform", "StatelessRandomUniformV2", "StatelessRandomNormal", "StatelessRandomNormalV2",
    "StatelessTruncatedNormal", "StatelessTruncatedNormalV2", "StatelessRandomUniformInt",
    "StatelessRandomUniformIntV2", "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2",
    "StatelessRandomGetKeyCounter", "StatelessRandomGetAlg", "StatelessRandomGetKeyCounterAlg",
    "TensorListElementShape", "TensorListLength",
})  # fmt: skip
"""Results that depend on the shape of their inputs (or on a seed), never on the content."""

FILLS = frozenset({"Fill"})
"""The second input is content, the first is a shape."""

NOT_DATA = frozenset({
    "VarHandleOp", "VarIsInitializedOp", "DestroyResourceOp", "Assert", "PrintV2", "NoOp", "AnonymousIterator",
    "AnonymousIteratorV2", "AnonymousIteratorV3", "MakeIterator", "DeleteIterator", "WriteSummary",
    "WriteScalarSummary", "WriteHistogramSummary", "WriteImageSummary", "SummaryWriter", "CreateSummaryFileWriter",
    "FlushSummaryWriter", "CloseSummaryWriter", "AssertCardinalityDataset", "StringFormat", "MergeV2Checkpoints",
    "SaveV2", "DisableCopyOnRead",
})  # fmt: skip
"""Operations that compute nothing a loss could be made of."""

READS = frozenset({"ReadVariableOp"})

WRITES = {
    "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add",
    "AssignSubVariableOp": "assign_sub",
    "ResourceStridedSliceAssign": "assign",
    "ResourceScatterUpdate": "scatter_update",
    "ResourceScatterAdd": "scatter_add",
    "ResourceScatterSub": "scatter_sub",
    "ResourceScatterMul": "scatter_mul",
    "ResourceScatterDiv": "scatter_div",
    "ResourceScatterMin": "scatter_min",
    "ResourceScatterMax": "scatter_max",
    "ResourceScatterNdUpdate": "scatter_nd_update",
    "ResourceScatterNdAdd": "scatter_nd_add",
    "ResourceScatterNdSub": "scatter_nd_sub",
}
"""Operations that change a variable's content, by the name of the method that a user calls."""

OVERWRITES = frozenset({"AssignVariableOp"})
"""Writes after which nothing of the old content is left."""

NAMES = {
    "MatMul": "matmul", "BatchMatMulV2": "matmul", "BatchMatMulV3": "matmul", "AddV2": "add", "RealDiv": "truediv",
    "ArgMax": "argmax", "ArgMin": "argmin", "Multinomial": "random.categorical",
    "StatelessMultinomial": "random.categorical",
    "FloorDiv": "floor_divide", "TruncateDiv": "floor_divide", "SelectV2": "where", "Select": "where", "Where": "where",
    "GatherV2": "gather", "GatherNd": "gather_nd", "ConcatV2": "concat", "Pack": "stack", "Unpack": "unstack",
    "Relu": "relu", "Neg": "negative", "TopKV2": "topk", "ReadVariableOp": "read_value", "ResourceGather": "gather",
    "ResourceGatherNd": "gather_nd", "StopGradient": "stop_gradient", "PreventGradient": "stop_gradient",
    "InTopKV2": "in_top_k", "OneHot": "one_hot", "RandomPoissonV2": "random.poisson", "Conv2D": "conv2d",
}  # fmt: skip
"""Where the op's type is not what people call it."""


def friendly(op_type: str) -> str:
    """The name a user knows an operation by: `one_hot` for OneHot, `reduce_mean` for Mean."""
    known = NAMES.get(op_type)
    if known is not None:
        return known
    if op_type in ("Mean", "Sum", "Max", "Min", "Prod", "All", "Any"):
        return f"reduce_{op_type.lower()}"
    if op_type.startswith("__") or op_type in ("PartitionedCall", "StatefulPartitionedCall"):
        return re.sub(r"^__(inference|forward)_|_\d+$", "", op_type) or "function"
    plain = re.sub(r"V\d+$", "", op_type)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def is_function(op_type: str) -> bool:
    """A compiled function called as one operation."""
    return op_type.startswith("__") or op_type.endswith("PartitionedCall") or op_type == "XlaLaunch"
