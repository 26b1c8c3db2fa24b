"""What PyTorch's functions mean for a gradient, by the name they have on `torch` or `torch.Tensor`."""

from __future__ import annotations

STOP = frozenset({"detach", "detach_", "data.__get__", "detach_copy", "Variable"})

LEAVE = frozenset({
    "numpy", "item", "tolist", "__array__", "__float__", "__int__", "__index__", "__complex__", "__reduce_ex__",
})  # fmt: skip

ENTER = frozenset({
    "tensor", "as_tensor", "asarray", "from_numpy", "scalar_tensor", "new_tensor", "frombuffer", "from_dlpack", "new",
})  # fmt: skip

SAMPLE = frozenset({"multinomial", "bernoulli", "bernoulli_", "normal", "poisson", "binomial"})

SHAPE_ONLY = frozenset({
    "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like", "new_zeros",
    "new_ones", "new_full", "new_empty", "new_empty_strided", "zeros", "ones", "empty", "rand", "randn", "arange",
    "broadcast_shapes",
})  # fmt: skip
"""Results that depend on the shape of their tensor arguments, never on the content."""

OVERWRITES = frozenset(
    {"copy_", "fill_", "zero_", "normal_", "uniform_", "set_", "random_", "exponential_", "data.__set__"}
)
"""In-place functions after which nothing of the old content is left."""

IN_PLACE = frozenset({"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__idiv__", "__ipow__",
                      "__iand__", "__ior__", "__ixor__", "__imod__", "__ifloordiv__", "data.__set__"})  # fmt: skip

NOT_DATA = frozenset({
    "size", "dim", "ndim", "numel", "nelement", "stride", "is_floating_point", "is_complex", "is_contiguous",
    "data_ptr", "element_size", "ndimension", "is_pinned", "storage_offset", "untyped_storage", "storage",
    "get_device", "register_hook", "register_post_accumulate_grad_hook", "retain_grad", "__len__", "__hash__",
    "__repr__", "__str__", "__format__", "is_same_size", "result_type", "is_nonzero", "__bool__",
    "is_tensor", "is_storage", "_is_all_true", "_is_view", "is_set_to", "is_signed", "is_inference", "__contains__",
    "__setstate__", "_version", "equal", "allclose", "is_shared", "share_memory_", "_assert_async",
    "_record_function_enter_new", "_record_function_exit._RecordFunction", "record_stream", "manual_seed", "typename",
    "broadcast_shapes", "promote_types", "can_cast", "get_default_dtype", "set_default_dtype", "__dir__",
    "sparse_dim", "dense_dim", "has_names", "names", "_grad", "backward", "grad.__set__", "_make_subclass",
})  # fmt: skip
"""Functions that tell something about a tensor and compute nothing from its content."""

VIEW_GETTERS = frozenset({"T.__get__", "mT.__get__", "H.__get__", "mH.__get__", "real.__get__", "imag.__get__"})

PAIRWISE = frozenset({"broadcast_tensors", "atleast_1d", "atleast_2d", "atleast_3d"})
"""Functions that give one result for each argument, independent of the others."""

LIKE_SECOND = frozenset({"view_as", "expand_as", "reshape_as", "type_as"})
"""Functions whose second tensor gives only a shape or a dtype."""
