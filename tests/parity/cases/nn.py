"""Layers: convolutions, pooling, norms, softmax, activations, dropout, embedding, sampling."""

from __future__ import annotations

from harness import Array

from cases import FLOATS, Case, arr, case, index, literal


def activations() -> list[Case]:
    cases = []
    for act in ("relu", "sigmoid", "softrelu", "softsign", "tanh"):
        cases += [case("Activation", s, rule="nonzero", act_type=act) for s in ((3, 4), (2, 3, 1, 5), (1, 131))]
        cases += [case("Activation", (2, 7), rule="nonzero", act_type=act, dtype=d) for d in FLOATS[1:]]
        cases.append(case("Activation", (4, 9), rule=("uniform", -20, 20), act_type=act))
    for act in ("leaky", "elu", "selu", "gelu"):
        # The gradient of selu is wrong in 1.9.1; all constants are float32 in it, also for float64.
        right = {"grad": act != "selu"}
        wide = {**right, "tol": 500.0}
        cases += [case("LeakyReLU", s, rule="nonzero", act_type=act, options=right) for s in ((3, 4), (2, 3, 1, 5), (1, 131))]
        cases.append(case("LeakyReLU", (2, 7), rule="nonzero", act_type=act, dtype="float64", options=wide))
        cases.append(case("LeakyReLU", (2, 7), rule="nonzero", act_type=act, dtype="float16", options=right))
        cases.append(case("LeakyReLU", (4, 9), rule=("uniform", -6, 6), act_type=act, slope=0.1, options=right))
    cases.append(case("LeakyReLU", (3, 4), rule="nonzero"))
    for data, gamma in (((2, 3, 4), (3,)), ((2, 3), (3,)), ((2, 3, 4, 5), (1,)), ((4,), (1,))):
        cases.append(case("LeakyReLU", arr(*data, rule="nonzero"), arr(*gamma), act_type="prelu"))
    # 1.9.1 multiplies by the slope in float32, also for float64.
    cases += [
        case("LeakyReLU", arr(2, 3, 4, rule="nonzero", dtype=d), arr(3, dtype=d), act_type="prelu", options={"tol": 500.0} if d == "float64" else {})
        for d in FLOATS[1:]
    ]
    cases.append(case("Activation", (2, 3), act_type="relus", options={"error": ("relus", "relu", "Activation")}))
    return cases


def fully_connected() -> list[Case]:
    op = "FullyConnected"
    cases = [
        case(op, (3, 4), (5, 4), (5,), num_hidden=5),
        case(op, (3, 4), (5, 4), num_hidden=5, no_bias=True),
        case(op, (2, 3, 4), (5, 12), (5,), num_hidden=5),
        case(op, (2, 3, 4), (5, 4), (5,), num_hidden=5, flatten=False),
        case(op, (2, 3, 4), (1, 4), num_hidden=1, flatten=False, no_bias=True),
        case(op, (1, 1), (1, 1), (1,), num_hidden=1),
        case(op, (2, 3, 2, 2), (7, 12), (7,), num_hidden=7),
        case(op, (5, 67), (33, 67), (33,), num_hidden=33),
        case(op, (6,), (5, 1), (5,), num_hidden=5, options={"probe": True}),
    ]
    cases += [case(op, (3, 4), (5, 4), (5,), num_hidden=5, dtype=d, options={"probe": True}) for d in FLOATS[1:]]
    cases.append(case(op, (3, 4), (5, 6), (5,), num_hidden=5, options={"error": ("node", "5", "4", "6")}))
    cases.append(case("_sparse_FullyConnected", (3, 4), (5, 4), (5,), num_hidden=5))
    return cases


def convolution() -> list[Case]:
    op, cases = "Convolution", []
    rows = [
        ((2, 3, 7, 7), (4, 3, 3, 3), {"kernel": (3, 3)}),
        ((2, 3, 7, 8), (4, 3, 3, 3), {"kernel": (3, 3), "pad": (1, 1)}),
        ((1, 3, 8, 7), (5, 3, 3, 2), {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0)}),
        ((1, 2, 9, 9), (3, 2, 3, 3), {"kernel": (3, 3), "dilate": (2, 2), "pad": (2, 2)}),
        ((2, 4, 6, 6), (6, 2, 3, 3), {"kernel": (3, 3), "num_group": 2, "pad": (1, 1)}),
        ((1, 6, 6, 6), (6, 1, 3, 3), {"kernel": (3, 3), "num_group": 6, "pad": (1, 1), "stride": (2, 2)}),
        ((2, 5, 4, 4), (3, 5, 1, 1), {"kernel": (1, 1)}),
        ((2, 5, 5, 5), (3, 5, 1, 1), {"kernel": (1, 1), "stride": (2, 2)}),
        ((1, 1, 1, 1), (1, 1, 1, 1), {"kernel": (1, 1)}),
        ((1, 17, 6, 5), (19, 17, 3, 3), {"kernel": (3, 3), "pad": (1, 1)}),
        ((1, 2, 6, 6), (4, 2, 6, 6), {"kernel": (6, 6)}),
        ((2, 3, 9), (4, 3, 3), {"kernel": (3,)}),
        ((2, 4, 11), (6, 2, 3), {"kernel": (3,), "stride": (2,), "pad": (1,), "dilate": (2,), "num_group": 2}),
        ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), {"kernel": (2, 3, 2)}),
        ((1, 2, 5, 5, 5), (2, 1, 3, 3, 3), {"kernel": (3, 3, 3), "pad": (1, 1, 1), "stride": (2, 1, 2), "num_group": 2}),
    ]
    for data, weight, params in rows:
        filters = weight[0]
        cases.append(case(op, data, weight, (filters,), num_filter=filters, **params))
        cases.append(case(op, data, weight, num_filter=filters, no_bias=True, **params))
    for d in FLOATS[1:]:
        cases.append(case(op, (1, 2, 5, 5), (3, 2, 3, 3), (3,), num_filter=3, kernel=(3, 3), pad=(1, 1), dtype=d, options={"probe": True}))
        cases.append(case(op, (1, 4, 5), (4, 2, 3), (4,), num_filter=4, kernel=(3,), num_group=2, dtype=d, options={"probe": True}))
        cases.append(case(op, (1, 2, 3, 4, 3), (3, 2, 2, 2, 2), (3,), num_filter=3, kernel=(2, 2, 2), dtype=d, options={"probe": True}))
    for layout in ("NCHW",):
        cases.append(case(op, (1, 2, 4, 4), (3, 2, 3, 3), (3,), num_filter=3, kernel=(3, 3), layout=layout))
    cases.append(case(op, (1, 2, 5), (3, 2, 3), (3,), num_filter=3, kernel=(3,), layout="NCW"))
    cases.append(case(op, (1, 2, 4, 4), (3, 2, 9, 9), (3,), num_filter=3, kernel=(9, 9), options={"error": ("node", "9", "4")}))
    cases.append(case(op, (1, 3, 4, 4), (4, 3, 3, 3), (4,), num_filter=4, kernel=(3, 3), num_group=2, options={"error": ("node",)}))
    return cases


def deconvolution() -> list[Case]:
    op, cases = "Deconvolution", []
    rows = [
        ((2, 3, 4, 4), (3, 4, 3, 3), {"kernel": (3, 3)}, 4),
        ((1, 3, 4, 5), (3, 2, 3, 3), {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}, 2),
        ((1, 3, 4, 5), (3, 2, 3, 3), {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "adj": (1, 1)}, 2),
        ((1, 3, 4, 4), (3, 2, 4, 4), {"kernel": (4, 4), "stride": (2, 2), "target_shape": (8, 8)}, 2),
        ((1, 3, 4, 4), (3, 2, 3, 3), {"kernel": (3, 3), "stride": (2, 2), "target_shape": (8, 7)}, 2),
        ((2, 4, 4, 4), (4, 3, 2, 2), {"kernel": (2, 2), "stride": (2, 2), "num_group": 2}, 6),
        ((1, 4, 4, 4), (4, 1, 4, 4), {"kernel": (4, 4), "stride": (2, 2), "pad": (1, 1), "num_group": 4}, 4),
        ((1, 2, 5, 5), (2, 3, 3, 3), {"kernel": (3, 3), "dilate": (2, 2)}, 3),
        ((1, 2, 5), (2, 3, 3), {"kernel": (3,), "stride": (2,), "adj": (1,)}, 3),
        ((1, 2, 3, 3, 3), (2, 2, 2, 3, 2), {"kernel": (2, 3, 2), "stride": (1, 2, 2)}, 2),
        ((1, 17, 3, 3), (17, 9, 2, 2), {"kernel": (2, 2)}, 9),
    ]
    for data, weight, params, filters in rows:
        kernels = "mkldnn" if len(data) == 5 else "plain" if "target_shape" in params else "both"
        options = {"kernels": kernels}
        cases.append(case(op, data, weight, num_filter=filters, options=options, **params))
        cases.append(case(op, data, weight, (filters,), num_filter=filters, no_bias=False, options=options, **params))
    for d in FLOATS[1:]:
        cases.append(case(op, (1, 2, 3, 3), (2, 2, 3, 3), num_filter=2, kernel=(3, 3), stride=(2, 2), dtype=d, options={"probe": True}))
    return cases


def pooling() -> list[Case]:
    op, cases = "Pooling", []
    kinds = ("max", "avg", "sum")
    windows = [
        ((2, 3, 6, 7), {"kernel": (2, 2)}),
        ((2, 3, 6, 7), {"kernel": (2, 2), "stride": (2, 2)}),
        ((1, 2, 7, 7), {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}),
        ((1, 2, 7, 8), {"kernel": (3, 2), "stride": (2, 3), "pad": (1, 0)}),
        ((1, 17, 4, 4), {"kernel": (4, 4)}),
        ((1, 1, 1, 1), {"kernel": (1, 1)}),
        ((2, 3, 9), {"kernel": (3,), "stride": (2,), "pad": (1,)}),
        ((1, 2, 4, 5, 6), {"kernel": (2, 3, 2), "stride": (2, 1, 2), "pad": (0, 1, 1)}),
    ]
    for kind in kinds:
        for shape, params in windows:
            cases.append(case(op, shape, rule="distinct", pool_type=kind, **params))
        for convention in ("valid", "full", "same"):
            dims = ((1, 2, 7, 8), (3, 3), (2, 2)), ((2, 3, 8), (3,), (2,)), ((1, 2, 5, 6, 4), (2, 3, 3), (2, 2, 1))
            for shape, kernel, stride in dims:
                pads = [()] if convention == "same" else [(), (1,) * len(kernel)]
                for pad in pads:
                    options = {"kernels": "both" if kind == "max" else "plain", "probe": True}
                    params = {"kernel": kernel, "stride": stride, "pool_type": kind, "pooling_convention": convention}
                    if pad:
                        params["pad"] = pad
                    cases.append(case(op, shape, rule="distinct", options=options, **params))
        for shape in ((2, 3, 4, 5), (2, 3, 5), (1, 2, 3, 2, 4)):
            cases.append(case(op, shape, rule="distinct", pool_type=kind, global_pool=True))
            cases.append(case(op, shape, rule="distinct", pool_type=kind, global_pool=True, kernel=(2,) * (len(shape) - 2)))
        cases += [
            case(op, (1, 2, 5, 5), rule="distinct", pool_type=kind, kernel=(3, 3), stride=(2, 2), pad=(1, 1), dtype=d, options={"probe": True})
            for d in FLOATS[1:]
        ]
        cases.append(case(op, (1, 2, 5), rule="distinct", pool_type=kind, kernel=(2,), dtype="float64"))
    cases.append(case(op, (2, 2, 5, 5), rule="ties", kernel=(2, 2), options={"grad": False}))
    for include in (True, False):
        for shape, params in windows[2:4] + windows[6:]:
            cases.append(case(op, shape, pool_type="avg", count_include_pad=include, **params))
        params = {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pooling_convention": "full"}
        cases.append(case(op, (1, 2, 6, 6), pool_type="avg", count_include_pad=include, options={"kernels": "plain"}, **params))
    for p in (1, 2, 3):
        for shape, params in (windows[0], windows[2], windows[6], windows[7]):
            cases.append(case(op, shape, rule="positive", pool_type="lp", p_value=p, **params))
        cases.append(case(op, (2, 2, 3, 4), rule="positive", pool_type="lp", p_value=p, global_pool=True))
    for layout, shape, kernel in (("NHWC", (1, 6, 5, 3), (2, 2)), ("NWC", (2, 7, 3), (3,)), ("NDHWC", (1, 4, 4, 3, 2), (2, 2, 2))):
        cases += [case(op, shape, rule="distinct", pool_type=k, kernel=kernel, layout=layout, options={"probe": True}) for k in kinds]
    cases.append(case(op, (1, 2, 4, 4), kernel=(6, 6), options={"error": ("node", "6", "4")}))
    for kind in kinds:
        for convention in ("valid", "full"):
            params = {"kernel": (3, 3), "stride": (2, 2), "pool_type": kind, "pooling_convention": convention}
            cases.append(case("Pooling_v1", (1, 2, 6, 6), rule="distinct", **params))
    return cases


def batch_norm() -> list[Case]:
    op, cases = "BatchNorm", []

    def inputs(shape: tuple[int, ...], channels: int, dtype: str = "float32", stats: str = "float32") -> tuple[Array, ...]:
        gamma, beta = arr(channels, rule="positive", dtype=stats), arr(channels, dtype=stats)
        mean, var = arr(channels, dtype=stats), arr(channels, rule="positive", dtype=stats)
        return arr(*shape, dtype=dtype), gamma, beta, mean, var

    shapes = (((4, 3), 3), ((2, 3, 4), 3), ((2, 3, 4, 5), 3), ((2, 3, 2, 3, 2), 3), ((3, 1, 2, 2), 1), ((2, 17, 3, 3), 17))
    for shape, channels in shapes:
        cases.append(case(op, *inputs(shape, channels), options={"tol": 4.0}))
        cases.append(case(op, *inputs(shape, channels), fix_gamma=False, options={"tol": 4.0}))
        cases.append(case(op, *inputs(shape, channels), fix_gamma=False, use_global_stats=True, options={"tol": 4.0}))
    base = inputs((2, 3, 4, 5), 3)
    for params in (
        {"momentum": 0.5}, {"momentum": 0.0}, {"eps": 0.1, "fix_gamma": False}, {"eps": 2e-5, "fix_gamma": False}, {"use_global_stats": True},
        {"output_mean_var": True, "fix_gamma": False}, {"cudnn_off": True},
        {"output_mean_var": True, "fix_gamma": False, "use_global_stats": True},
    ):
        cases.append(case(op, *base, options={"tol": 4.0, "probe": True}, **params))
    for axis, channels in ((-1, 5), (2, 4), (0, 2), (3, 5), (1, 3)):
        cases.append(case(op, *inputs((2, 3, 4, 5), channels), axis=axis, fix_gamma=False, options={"tol": 4.0}))
    cases.append(case(op, *inputs((6, 4), 4, "float64", "float64"), fix_gamma=False, options={"probe": True, "tol": 1e3}))
    cases.append(case(op, *inputs((2, 3, 4, 4), 3, "float64", "float64"), options={"probe": True, "tol": 1e3}))
    cases.append(case(op, *inputs((2, 3, 4, 4), 3, "float16", "float32"), fix_gamma=False, options={"probe": True, "tol": 4.0}))
    cases.append(case(op, *inputs((2, 3, 4, 4), 2), options={"error": ("node", "2", "3")}))
    return cases


def other_norms() -> list[Case]:
    cases = []
    options = {"tol": 4.0}
    for shape, axis in (((3, 4), -1), ((2, 3, 5), -1), ((2, 3, 5), 1), ((2, 3, 5), 0), ((2, 67), 1), ((3, 4), 0), ((1, 1), -1)):
        n = shape[axis]
        cases.append(case("LayerNorm", arr(*shape), arr(n), arr(n), axis=axis, options=options))
    cases.append(case("LayerNorm", arr(3, 7), arr(7), arr(7), options=options))
    cases.append(case("LayerNorm", arr(3, 7), arr(7), arr(7), eps=0.1, options=options))
    cases.append(case("LayerNorm", arr(3, 7), arr(7), arr(7), output_mean_var=True, options={**options, "probe": True}))
    cases += [case("LayerNorm", arr(3, 7, dtype=d), arr(7, dtype=d), arr(7, dtype=d), options={"tol": 3.0}) for d in FLOATS[1:]]
    cases.append(case("LayerNorm", arr(3, 7), arr(6), arr(7), options={"error": ("node", "7", "6")}))
    for shape in ((2, 3, 4, 5), (2, 3, 5), (1, 2, 9), (3, 17, 2, 2)):
        c = shape[1]
        cases.append(case("InstanceNorm", arr(*shape), arr(c), arr(c), options=options))
    cases.append(case("InstanceNorm", arr(2, 3, 4), arr(3), arr(3), eps=0.1, options=options))
    for shape, groups in (((2, 4, 3, 3), 1), ((2, 4, 3, 3), 2), ((2, 4, 3, 3), 4), ((2, 6, 5), 3)):
        # One gamma and beta a group, not a channel.
        cases.append(case("GroupNorm", arr(*shape), arr(groups), arr(groups), num_groups=groups, options=options))
    cases.append(case("GroupNorm", arr(2, 4, 3), arr(2), arr(2), num_groups=2, eps=0.1, options=options))
    cases.append(case("GroupNorm", arr(2, 4, 3), arr(2), arr(2), num_groups=2, output_mean_var=True, options={**options, "probe": True}))
    cases.append(case("GroupNorm", *[arr(*s, dtype="float64") for s in ((2, 4, 3), (2,), (2,))], num_groups=2, options=options))
    for mode in ("instance", "channel", "spatial"):
        cases += [case("L2Normalization", s, mode=mode, options=options) for s in ((2, 3, 4, 5), (2, 3, 5))]
        cases.append(case("L2Normalization", (2, 3, 4), mode=mode, eps=0.5, options=options))
    cases.append(case("L2Normalization", (3, 5), options=options))
    cases.append(case("L2Normalization", (2, 3, 4), dtype="float64", options=options))
    for nsize in (1, 3, 5):
        cases.append(case("LRN", (2, 7, 3, 4), nsize=nsize, options=options))
        cases.append(case("LRN", (2, 7, 3, 4), nsize=nsize, alpha=0.5, beta=0.6, knorm=1.5, options=options))
    return cases


def softmaxes() -> list[Case]:
    cases = []
    for op in ("softmax", "log_softmax", "softmin"):
        for shape, axis in (((3, 4), -1), ((2, 3, 4), 1), ((2, 3, 4), 0), ((2, 3, 4), -2), ((1, 1), -1), ((2, 131), 1), ((5,), 0)):
            cases.append(case(op, shape, axis=axis))
        cases.append(case(op, (3, 5)))
        cases += [case(op, (3, 5), temperature=t) for t in (0.5, 2.0, 10.0)]
        cases += [case(op, (3, 5), dtype=d) for d in FLOATS[1:]]
        cases.append(case(op, (3, 5), rule=("uniform", -200, 200)))
        cases.append(dtype_param(case(op, (3, 5), dtype="float16", t="float32")))
        cases.append(dtype_param(case(op, (3, 5), dtype="float32", t="float64")))
        cases.append(case(op, (3, 5), axis=4, options={"error": ("node", "4")}))
    lengths = literal([3, 5, 1], dtype="int32")
    cases.append(case("softmax", arr(3, 5), lengths, use_length=True))
    cases.append(case("softmax", arr(3, 5), lengths, use_length=True, temperature=2.0))
    cases.append(case("softmax", arr(2, 4, 3), literal([[1, 2, 3], [4, 1, 2]], dtype="int32"), use_length=True, axis=1))
    cases.append(case("softmax", arr(3, 5, dtype="float64"), literal([3, 5, 1], dtype="int64"), use_length=True))
    for mode, shape in (("instance", (3, 4)), ("instance", (2, 3, 4)), ("channel", (2, 3, 4)), ("channel", (2, 3, 2, 2))):
        # The gradient of more than two axes in mode instance sums over another axis than the output in 1.9.1.
        cases.append(case("SoftmaxActivation", shape, mode=mode, options={"grad": mode == "channel" or len(shape) == 2}))
    cases.append(case("SoftmaxActivation", (3, 4)))
    return cases


def dtype_param(c: Case) -> Case:
    """`t` stands for the operator's own dtype parameter."""
    from dataclasses import replace

    return replace(c, params=tuple(("dtype" if k == "t" else k, v) for k, v in c.params))


def sampling() -> list[Case]:
    cases = []
    # With p=0 nothing is dropped; the random side is checked in test_random.py.
    cases += [case("Dropout", (3, 4), p=0.0), case("Dropout", (2, 5), p=0.0, dtype="float64"), case("Dropout", (2, 3), p=0, mode="always")]
    for op in ("Embedding", "_sparse_Embedding"):
        cases.append(case(op, index(3, high=7), arr(7, 4), input_dim=7, output_dim=4))
    for shape, dtype in (((2, 3), "float32"), ((2, 3), "int32"), ((2, 1, 3), "int64"), ((1,), "float64"), ((4,), "uint8")):
        cases.append(case("Embedding", index(*shape, high=7, dtype=dtype), arr(7, 4), input_dim=7, output_dim=4))
    cases.append(case("Embedding", literal([-1.0, 9.0, 6.0]), arr(7, 2), input_dim=7, output_dim=2))
    cases += [
        dtype_param(case("Embedding", index(2, 3, high=5, dtype=d), arr(5, 3, dtype=d), input_dim=5, output_dim=3, t=d)) for d in FLOATS[1:]
    ]
    cases.append(case("Embedding", index(2, high=5), arr(5, 67), input_dim=5, output_dim=67))
    for scale in (1, 2, 3):
        cases.append(case("UpSampling", (1, 2, 3, 4), scale=scale, sample_type="nearest"))
    cases.append(case("UpSampling", (2, 1, 1, 1), scale=2, sample_type="nearest"))
    cases.append(case("UpSampling", (1, 2, 4, 4), (1, 3, 2, 2), scale=2, sample_type="nearest"))
    cases.append(case("UpSampling", (1, 2, 4, 4), (1, 2, 2, 2), scale=2, sample_type="nearest", multi_input_mode="sum"))
    cases.append(case("UpSampling", (1, 2, 3, 4), scale=2, sample_type="nearest", dtype="float64"))
    for scale, kernel in ((2, 4), (3, 5)):
        cases.append(case("UpSampling", (1, 2, 3, 4), (2, 1, kernel, kernel), scale=scale, sample_type="bilinear", num_filter=2))
    grid = ("uniform", -1.3, 1.3)
    for data, out in (((1, 2, 4, 5), (3, 4)), ((2, 1, 3, 3), (1, 1)), ((2, 3, 5, 4), (5, 4))):
        cases.append(case("BilinearSampler", arr(*data), arr(data[0], 2, *out, rule=grid)))
    cases.append(case("BilinearSampler", arr(1, 2, 4, 5, dtype="float64"), arr(1, 2, 3, 4, rule=grid, dtype="float64")))
    cases.append(case("GridGenerator", arr(2, 6), transform_type="affine", target_shape=(3, 4)))
    cases.append(case("GridGenerator", arr(1, 2, 3, 4), transform_type="warp"))
    params = {"transform_type": "affine", "sampler_type": "bilinear", "target_shape": (3, 4)}
    cases.append(case("SpatialTransformer", arr(2, 2, 4, 5), arr(2, 6, rule=("uniform", -0.6, 0.6)), **params))
    for params in ({"kernel": (3, 3)}, {"kernel": (2, 3), "stride": (2, 1), "pad": (1, 1)}, {"kernel": (2, 2), "dilate": (2, 2)}):
        cases.append(case("im2col", (1, 2, 5, 6), **params))
    cases.append(case("col2im", (1, 8, 12), output_size=(4, 5), kernel=(2, 2)))
    cases.append(case("col2im", (1, 8, 9), output_size=(4, 5), kernel=(2, 2), stride=(1, 2), pad=(0, 1)))
    cases.append(case("ROIPooling", arr(2, 2, 8, 8, rule="distinct"), literal([[0, 0, 0, 6, 6], [1, 2, 1, 7, 5]]), pooled_size=(2, 3), spatial_scale=1.0))
    cases.append(case("Correlation", (1, 3, 6, 6), (1, 3, 6, 6), kernel_size=1, max_displacement=2, stride1=1, stride2=1, pad_size=2))
    return cases


CASES = (
    activations() + fully_connected() + convolution() + deconvolution() + pooling() + batch_norm() + other_norms() + softmaxes() + sampling()
)
