"""Operators that move elements, and products of matrices."""

from __future__ import annotations

from cases import FLOATS, INTS, Case, arr, case, forward

OTHER = (*FLOATS[1:], *INTS)


def shapes_only() -> list[Case]:
    cases = []
    rows = [
        ((2, 3, 4), (4, 3, 2)), ((2, 3, 4), (-1,)), ((2, 3, 4), (2, -1)), ((2, 3, 4), (0, -1)), ((2, 3, 4), (0, 0, 4)), ((2, 3, 4), (-2,)),
        ((2, 3, 4), (2, -2)), ((2, 3, 4), (-2, 1, 1)), ((2, 3, 4), (-3, 4)), ((2, 3, 4, 5), (-3, -3)), ((2, 3, 4), (0, -3)),
        ((2, 3, 4), (-3, -2)), ((2, 3, 4), (-4, 1, 2, -2)), ((2, 3, 4), (2, -4, -1, 3, -2)), ((2, 6, 4), (0, -4, 2, -1, 0)),
        ((2, 3, 4), (1, -1, 1)), ((1,), (1, 1)), ((2, 8), (0, 4, -1)), ((12,), (3, 4)),
    ]
    for shape, target in rows:
        cases.append(case("Reshape", shape, shape=target))
    for shape, target in (((10, 5, 4), (-1, 0)), ((2, 3, 4), (0, -1)), ((2, 3, 5, 5), (0, -3)), ((8, 3, 3, 3, 4, 4), (-3, 0, -2)), ((2, 3, 4), (-1, 0, 0))):
        cases.append(case("Reshape", shape, shape=target, reverse=True, options={"probe": True}))
    cases.append(case("reshape", (2, 6), shape=(3, 4)))
    cases.append(case("Reshape", (2, 6), target_shape=(0, 6), options={"probe": True}))
    cases.append(case("Reshape", (2, 6), target_shape=(3, 0), options={"probe": True}))
    cases.append(case("Reshape", (2, 3, 2), target_shape=(0, 6), keep_highest=True, options={"probe": True}))
    cases += [case("Reshape", (2, 6), shape=(3, 4), dtype=d) for d in OTHER]
    cases += [case("Reshape", (2, 3), shape=s, options={"error": ("node", "6")}) for s in ((4, 2), (-1, 4))]
    for op in ("Flatten", "flatten"):
        cases += [case(op, s) for s in ((2, 3, 4), (3, 4), (2, 3, 1, 2))]
    for shape, axis in (((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((2, 3), 2), ((2, 3), -3), ((4,), 0)):
        cases.append(case("expand_dims", shape, axis=axis))
    cases.append(case("expand_dims", (2, 3), axis=4, options={"error": ("node", "4")}))
    for shape, params in (((1, 3, 1), {}), ((1, 3, 1), {"axis": 0}), ((1, 3, 1), {"axis": -1}), ((1, 3, 1), {"axis": (0, 2)}), ((1, 1), {})):
        cases.append(case("squeeze", shape, **params))
    cases.append(case("squeeze", (2, 3), axis=0, options={"error": ("node",)}))
    cases += [case("reshape_like", (2, 6), s) for s in ((3, 4), (12,), (1, 2, 6))]
    ranges = ({"lhs_begin": 0, "lhs_end": 1, "rhs_begin": 0, "rhs_end": 2}, {"lhs_begin": 1, "lhs_end": 3, "rhs_begin": 1, "rhs_end": 2})
    cases.append(case("reshape_like", (30, 7), (15, 2, 4), **ranges[0]))
    cases.append(case("reshape_like", (7, 5, 6), (7, 30, 2), **ranges[1]))
    cases.append(case("reshape_like", (30, 7), (15, 2, 4), lhs_begin=-2, lhs_end=-1, rhs_begin=-3, rhs_end=-1))
    for op in ("shape_array", "size_array"):
        cases += [case(op, s) for s in ((2, 3, 4), (5,))]
    return cases


def permutations() -> list[Case]:
    cases = []
    for shape, axes in (
        ((2, 3), None), ((2, 3, 4), None), ((2, 3, 4), (0, 2, 1)), ((2, 3, 4), (1, 0, 2)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4), (1, 2, 0)),
        ((2, 1, 3, 2), (0, 2, 3, 1)), ((2, 3, 2, 4), (3, 1, 2, 0)), ((2, 3, 4), (-1, 0, 1)), ((5,), (0,)), ((17, 19), (1, 0)), ((2, 2, 3, 2, 2), (4, 2, 0, 3, 1)),
        ((3, 4), (0, 1)),
    ):
        cases.append(case("transpose", shape, **({} if axes is None else {"axes": axes}), options={"probe": axes is not None and min(axes) < 0}))
    cases += [case("transpose", (3, 4), dtype=d) for d in OTHER]
    cases.append(case("transpose", (2, 3, 4), axes=(0, 1), options={"error": ("node",)}))
    cases.append(case("transpose", (2, 3), axes=(0, 0), options={"error": ("node",)}))
    for op, d1, d2 in (("SwapAxis", 0, 1), ("SwapAxis", 0, 2), ("swapaxes", 1, 2), ("SwapAxis", -1, 0), ("SwapAxis", 1, 1)):
        cases.append(case(op, (2, 3, 4), dim1=d1, dim2=d2))
    cases += [case("SwapAxis", (2, 3), dim1=0, dim2=1, dtype=d, options={"probe": True}) for d in OTHER]
    for op in ("reverse", "flip"):
        cases += [case(op, (2, 3, 4), axis=a) for a in (0, 1, 2, (0, 2), (0, 1, 2))]
    cases += [case("reverse", (2, 5), axis=1, dtype=d) for d in OTHER]
    for op, shape in (("depth_to_space", (1, 8, 2, 3)), ("depth_to_space", (2, 4, 1, 1)), ("space_to_depth", (1, 2, 4, 6)), ("space_to_depth", (2, 1, 2, 2))):
        cases.append(case(op, shape, block_size=2))
    cases.append(case("depth_to_space", (1, 18, 2, 2), block_size=3))
    cases.append(case("depth_to_space", (1, 6, 2, 2), block_size=2, options={"error": ("node",)}))
    return cases


def joins() -> list[Case]:
    cases = []
    for shapes, dim in (
        (((2, 3), (2, 4)), 1), (((2, 3), (1, 3), (4, 3)), 0), (((2, 3, 1), (2, 3, 5)), 2), (((2, 3), (2, 1)), -1), (((2, 3),), 1),
        (((3,), (4,)), 0), (((1, 2, 2, 3), (1, 17, 2, 3)), 1), (((2, 1, 3), (2, 2, 3), (2, 3, 3), (2, 1, 3)), 1),
    ):
        cases.append(case("Concat", *shapes, dim=dim))
    cases.append(case("concat", (2, 3), (2, 2)))
    cases += [case("Concat", (2, 3), (2, 2), dim=1, dtype=d) for d in OTHER]
    cases.append(case("Concat", (2, 3), (3, 4), dim=1, options={"error": ("node", "2", "3")}))
    for axis in (0, 1, 2, -1, -3):
        cases.append(case("stack", (2, 3), (2, 3), axis=axis))
    cases += [case("stack", (4,), (4,), (4,)), case("stack", (2, 1))]
    cases += [case("stack", (2, 3), (2, 3), axis=1, dtype=d) for d in OTHER]
    cases.append(case("stack", (2, 3), (2, 4), options={"error": ("node",)}))
    for op, shape, params in (
        ("SliceChannel", (2, 6), {"num_outputs": 3}), ("SliceChannel", (2, 4, 3), {"num_outputs": 2, "axis": 1}),
        ("split", (2, 3), {"num_outputs": 3, "axis": 1, "squeeze_axis": True}), ("SliceChannel", (4, 3), {"num_outputs": 2, "axis": 0}),
        ("SliceChannel", (2, 3, 4), {"num_outputs": 2, "axis": -1}), ("SliceChannel", (2, 3), {"num_outputs": 1}),
        ("SliceChannel", (2, 2, 3), {"num_outputs": 2, "axis": 0, "squeeze_axis": True}),
    ):
        cases.append(case(op, shape, **params))
    cases += [case("SliceChannel", (2, 4), num_outputs=2, dtype=d, options={"probe": True}) for d in OTHER]
    cases.append(case("SliceChannel", (2, 5), num_outputs=2, options={"error": ("node", "5", "2")}))
    for params in ({"indices": (0, 2, 3), "axis": 1}, {"indices": (0, 1), "axis": 0}, {"indices": (), "sections": 2, "axis": 0}):
        cases.append(case("_split_v2", (2, 5), **params))
    cases.append(case("_split_v2", (2, 3, 2), indices=(), sections=3, axis=1, squeeze_axis=True))
    cases.append(case("_split_v2", (4, 3), indices=(0, 1), axis=-1))
    cases.append(case("_split_v2", (2, 5), build=lambda mx, x: mx.sym.split_v2(x, (2, 3), axis=1), options={"tag": "front"}))
    for dtype in ("float32", "float64"):
        for reps in ((2,), (2, 3), (1, 1), (2, 1, 2)):
            cases.append(case("tile", (2, 3), reps=reps, dtype=dtype))
    cases += [case("tile", (2, 3), reps=(2, 2), dtype=d) for d in OTHER[1:]]
    for params in ({"repeats": 2}, {"repeats": 3, "axis": 0}, {"repeats": 2, "axis": 1}, {"repeats": 2, "axis": -1}, {"repeats": 1}):
        cases.append(case("repeat", (2, 3), **params))
    cases += [case("repeat", (2, 3), repeats=2, axis=1, dtype=d) for d in OTHER]
    return cases


def windows() -> list[Case]:
    cases = []
    for shape, params in (
        ((4, 5), {"begin": (1, 1), "end": (3, 4)}), ((4, 5), {"begin": (0,), "end": (2,)}), ((4, 5), {"begin": (None, 1), "end": (None, 3)}),
        ((4, 5), {"begin": (-3, -4), "end": (-1, -1)}), ((4, 5), {"begin": (0, 0), "end": (4, 5), "step": (2, 2)}),
        ((4, 5), {"begin": (3, 4), "end": (0, 1), "step": (-1, -1)}), ((4, 5), {"begin": (None, None), "end": (None, None), "step": (-1, 2)}),
        ((4, 5), {"begin": (1, 0), "end": (2, 100)}), ((2, 3, 4), {"begin": (0, 1, 2), "end": (2, 3, 3)}),
        ((7,), {"begin": (6,), "end": (None,), "step": (-2,)}), ((3, 37), {"begin": (0, 3), "end": (3, 30)}),
    ):
        cases.append(case("slice", shape, **params))
    cases.append(case("crop", (4, 5), begin=(1, 1), end=(3, 4)))
    cases += [case("slice", (4, 5), begin=(1, 1), end=(3, 4), dtype=d) for d in OTHER]
    cases.append(case("slice", (4, 5), begin=(1, 1), end=(3,), options={"error": ("node",)}))
    for params in (
        {"axis": 0, "begin": 1, "end": 3}, {"axis": 1, "begin": 0, "end": None}, {"axis": -1, "begin": -3, "end": -1}, {"axis": 1, "begin": -2, "end": None},
        {"axis": 0, "begin": 0, "end": 1},
    ):
        cases.append(case("slice_axis", (4, 5), **params))
    cases += [case("slice_axis", (4, 5), axis=1, begin=1, end=3, dtype=d) for d in OTHER]
    cases.append(case("slice_axis", (4, 5), axis=2, begin=0, end=1, options={"error": ("node", "2")}))
    for data, like, params in (((4, 5), (2, 3), {}), ((4, 5), (2, 3), {"axes": (0,)}), ((4, 5, 6), (2, 3, 4), {"axes": (-1, 0)}), ((4, 5), (4, 5), {})):
        cases.append(case("slice_like", data, like, **params))
    cases.append(case("slice_like", (4, 5), (2, 9), options={"error": ("node",)}))
    for mode in ("constant", "edge", "reflect"):
        cases.append(case("Pad", (1, 2, 3, 4), mode=mode, pad_width=(0, 0, 0, 0, 1, 2, 2, 1)))
        cases.append(case("pad", (2, 1, 3, 3), mode=mode, pad_width=(0, 0, 0, 0, 1, 1, 0, 2)))
        cases.append(case("Pad", (1, 2, 3, 3, 3), mode=mode, pad_width=(0, 0, 0, 0, 1, 1, 2, 1, 0, 2)))
        cases.append(case("Pad", (1, 2, 3, 4), mode=mode, pad_width=(0, 0, 0, 0, 1, 2, 2, 1), dtype="float64"))
    cases.append(case("Pad", (1, 1, 2, 2), mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1), constant_value=3.5))
    cases.append(case("Crop", (1, 2, 5, 6), num_args=1, offset=(1, 2), h_w=(3, 3)))
    cases.append(case("Crop", (1, 2, 5, 6), num_args=1, h_w=(3, 2), center_crop=True))
    cases.append(case("Crop", (1, 2, 5, 6), (1, 4, 3, 4), num_args=2, offset=(1, 1)))
    cases.append(case("Crop", (1, 2, 5, 6), (1, 4, 3, 4), num_args=2, center_crop=True))
    for shape, params in (
        ((4,), {}), ((3,), {"k": 1}), ((3,), {"k": -2}), ((3, 4), {}), ((3, 4), {"k": 1}), ((3, 4), {"k": -1}), ((2, 3, 4), {"axis1": 1, "axis2": 2}),
        ((2, 3, 4), {"axis1": 0, "axis2": -1, "k": 1}), ((2, 3, 4), {"axis1": 2, "axis2": 0}),
    ):
        cases.append(case("diag", shape, **params))
    cases.append(case("diag", (3, 3), dtype="float64"))
    return cases


def products() -> list[Case]:
    cases = []
    for op in ("dot", "_sparse_dot"):
        cases.append(case(op, (2, 3), (3, 4)))
    for a, b, params in (
        ((5,), (5,), {}), ((2, 3), (3,), {}), ((2, 3, 4), (4, 5), {}), ((2, 3), (3, 2, 2), {}), ((1, 1), (1, 1), {}), ((33, 17), (17, 35), {}),
        ((3, 2), (3, 4), {"transpose_a": True}), ((2, 3), (4, 3), {"transpose_b": True}), ((3, 2), (4, 3), {"transpose_a": True, "transpose_b": True}),
        ((2, 3, 4), (2, 5), {"transpose_a": True}), ((2, 3), (4, 5, 3), {"transpose_b": True}),
    ):
        cases.append(case("dot", a, b, **params, options={"probe": len(a) + len(b) > 4 and bool(params)}))
    cases += [case("dot", (2, 3), (3, 4), dtype=d, options={"probe": True}) for d in OTHER]
    cases.append(case("dot", (2, 3), (2, 3), options={"error": ("node", "2", "3")}))
    for a, b, params in (
        ((2, 3, 4), (2, 4, 5), {}), ((2, 4, 3), (2, 4, 5), {"transpose_a": True}), ((2, 3, 4), (2, 5, 4), {"transpose_b": True}),
        ((2, 4, 3), (2, 5, 4), {"transpose_a": True, "transpose_b": True}), ((1, 1, 1), (1, 1, 1), {}), ((3, 1, 17), (3, 17, 9), {}),
    ):
        cases.append(case("batch_dot", a, b, **params))
    cases += [case("batch_dot", (2, 3, 4), (2, 4, 2), dtype=d, options={"probe": True}) for d in FLOATS[1:]]
    cases.append(case("batch_dot", (2, 3, 4), (3, 4, 2), options={"error": ("node", "2", "3")}))
    return cases


def amp() -> list[Case]:
    plain = {"kernels": "plain"}
    cases = [
        case("amp_multicast", arr(2, 3), arr(2, 3, dtype="float16"), num_outputs=2, options=plain),
        case("amp_multicast", arr(2, 3), arr(2, 3, dtype="float16"), num_outputs=2, cast_narrow=True, options=plain),
        case("amp_multicast", arr(3), arr(2, 2), num_outputs=2, options=plain),
        case("amp_multicast", arr(2, 3, dtype="float16"), arr(4, dtype="float16"), num_outputs=2, options=plain),
    ]
    cases += [forward("all_finite", (3, 4)), forward("all_finite", arr(4, 4, rule="nan")), forward("multi_all_finite", (3,), (2, 2), num_arrays=2)]
    cases.append(forward("multi_all_finite", arr(3), arr(4, 4, rule="nan"), num_arrays=2))
    cases += [case("cast_storage", (3, 4), stype="default"), case("cast_storage", (3, 4), stype="default", dtype="float64")]
    return cases


CASES = shapes_only() + permutations() + joins() + windows() + products() + amp()
