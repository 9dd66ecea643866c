"""Operators that pick, place and order elements."""

from __future__ import annotations

from cases import FLOATS, INTS, Case, arr, case, forward, index, literal

OTHER = (*FLOATS[1:], *INTS)


def picking() -> list[Case]:
    cases = []
    for data, positions, axis in (((5, 3), (4,), 0), ((5, 3), (2, 3), 0), ((4, 5, 3), (2,), 1), ((4, 5, 3), (2, 2), -1), ((6,), (3,), 0), ((3, 4), (1,), 1)):
        for mode in ("clip", "wrap"):
            places = arr(*positions, rule=("int", -4, 9), grad=False)
            cases.append(case("take", arr(*data), places, axis=axis, mode=mode))
    cases.append(case("take", arr(5, 3), index(4, high=5), mode="raise"))
    cases.append(case("take", arr(5, 3), index(4, high=5)))
    cases += [case("take", arr(5, 3), index(4, high=5, dtype=d)) for d in ("int32", "int64", "uint8", "float64")]
    cases += [case("take", arr(5, 3, dtype=d), index(4, high=5, dtype="int32")) for d in OTHER]
    cases.append(case("take", arr(7, 67), index(5, high=7)))
    cases += [forward("batch_take", arr(3, 4), index(3, high=4, dtype=d)) for d in ("int32",)]
    cases.append(forward("batch_take", arr(2, 5, dtype="float64"), index(2, high=5, dtype="int32")))
    for data, positions, params in (
        ((3, 4), (3,), {}), ((3, 4), (4,), {"axis": 0}), ((3, 4), (3, 1), {"axis": 1, "keepdims": True}), ((2, 3, 4), (2, 4), {"axis": 1}),
        ((2, 3, 4), (2, 3), {}), ((2, 3, 4), (1, 3, 4), {"axis": 0, "keepdims": True}),
    ):
        for mode in ("clip", "wrap"):
            cases.append(case("pick", arr(*data), arr(*positions, rule=("int", -3, 7), grad=False), mode=mode, **params))
    cases.append(case("choose_element_0index", arr(3, 4), index(3, high=4)))
    cases += [case("pick", arr(3, 4), index(3, high=4, dtype=d)) for d in ("int32", "int64", "float64", "uint8")]
    cases += [case("pick", arr(3, 4, dtype=d), index(3, high=4, dtype="int32")) for d in OTHER]
    for data, places in (((4, 5), [[0, 3, 2], [1, 4, 0]]), ((4, 5), [[1, 1, 3]]), ((2, 3, 2), [[0, 1], [2, 0], [1, 1]])):
        cases.append(case("gather_nd", arr(*data), literal(places)))
        cases.append(case("gather_nd", arr(*data), literal(places, dtype="int32")))
    cases.append(case("gather_nd", arr(3, 4), literal([[[0, 1], [2, 0]], [[1, 3], [0, 2]]])))
    cases += [case("gather_nd", arr(3, 4, dtype=d), literal([[0, 2], [1, 3]], dtype="int32")) for d in OTHER]
    for shape, places, data in (((4, 5), [[0, 3, 2], [1, 4, 0]], (3,)), ((4, 5), [[1, 0, 3]], (3, 5)), ((2, 3, 2), [[0, 1], [2, 0]], (2, 2))):
        cases.append(case("scatter_nd", arr(*data), literal(places), shape=shape))
        cases.append(case("scatter_nd", arr(*data, dtype="float64"), literal(places, dtype="int64"), shape=shape))
    write = {"imperative": True, "out": (0,)}
    cases.append(case("_scatter_set_nd", arr(4, 5), arr(3), literal([[0, 3, 2], [1, 4, 0]]), shape=(4, 5), options=write))
    cases.append(case("_scatter_set_nd", arr(4, 5), arr(2, 5), literal([[0, 3]], dtype="int32"), shape=(4, 5), options=write))
    for condition in ("float32", "int32", "float64"):
        cases.append(case("where", arr(3, 4, rule="mixed", dtype=condition, grad=False), arr(3, 4), arr(3, 4)))
    cases.append(case("where", literal([1, 0, 2]), arr(3, 4), arr(3, 4)))
    cases.append(case("where", literal([1.0, 0.0]), arr(2), arr(2)))
    cases += [case("where", literal([[1, 0], [0, 1]]), arr(2, 2, dtype=d), arr(2, 2, dtype=d)) for d in OTHER]
    cases.append(case("where", arr(3, 4, grad=False), arr(3, 4), arr(3, 5), options={"error": ("node", "4", "5")}))
    return cases


def placing() -> list[Case]:
    cases = []
    for shape in ((3,), (2, 3), (1, 1)):
        cases.append(case("one_hot", index(*shape, high=5), depth=5))
        cases.append(case("one_hot", index(*shape, high=9, low=-3), depth=4, on_value=2.5, off_value=-1))
    cases += [own_dtype(case("one_hot", index(4, high=5, dtype="int32"), depth=5, own=d)) for d in (*FLOATS, *INTS)]
    cases += [case("one_hot", index(4, high=5, dtype=d), depth=5) for d in ("int32", "int64", "float64", "uint8")]
    cases.append(case("_onehot_encode", index(3, high=4), arr(3, 4), options={"imperative": True, "out": (1,)}))
    cases.append(case("fill_element_0index", arr(3, 4), arr(3), index(3, high=4), options={"imperative": True, "out": (0,)}))
    slices = ({"begin": (1, 1), "end": (3, 4)}, {"begin": (0, 0), "end": (4, 5), "step": (2, 2)}, {"begin": (3, None), "end": (0, None), "step": (-1, 1)})
    for params, size in zip(slices, ((2, 3), (2, 3), (3, 5)), strict=True):
        cases.append(forward("_slice_assign", arr(4, 5), arr(*size), **params))
        cases.append(forward("_slice_assign_scalar", arr(4, 5), scalar=7.5, **params))
    cases += [forward("_slice_assign", arr(4, 5, dtype=d), arr(2, 3, dtype=d), **slices[0]) for d in OTHER]
    cases += [forward("_slice_assign_scalar", arr(4, 5, dtype=d), scalar=3, **slices[0]) for d in OTHER]
    cases += [forward(a, arr(4, 5), arr(2, 3), **slices[0]) for a in ("_crop_assign",)]
    for op in ("_ravel_multi_index", "ravel_multi_index"):
        cases.append(case(op, literal([[3, 6, 6], [4, 5, 1]]), shape=(7, 6)))
    cases.append(case("_ravel_multi_index", literal([[1, 0], [2, 1], [3, 0]], dtype="int32"), shape=(2, 3, 4)))
    cases.append(case("_ravel_multi_index", literal([[1, 0], [2, 1]], dtype="int64"), shape=(-1, 3), options={"probe": True}))
    for op in ("_unravel_index", "unravel_index"):
        cases.append(case(op, literal([22, 41, 37]), shape=(7, 6)))
    cases.append(case("_unravel_index", literal([1, 23, 7, 0], dtype="int32"), shape=(2, 3, 4)))
    cases.append(case("_unravel_index", literal([5, 11], dtype="int64"), shape=(-1, 4), options={"probe": True}))
    return cases


def own_dtype(c: Case) -> Case:
    """`own` stands for the operator's dtype parameter."""
    from dataclasses import replace

    return replace(c, params=tuple(("dtype" if k == "own" else k, v) for k, v in c.params))


def ordering() -> list[Case]:
    cases = []
    for axis in (0, 1, -1, 2):
        for ascend in (True, False):
            cases.append(case("sort", (3, 4, 5), rule="distinct", axis=axis, is_ascend=ascend))
            cases.append(case("argsort", (3, 4, 5), rule="distinct", axis=axis, is_ascend=ascend))
    cases += [forward("sort", (3, 4), rule="distinct"), case("argsort", (3, 4), rule="distinct")]
    cases += [forward("sort", (3, 4), rule="distinct", axis=None), case("argsort", (3, 4), rule="distinct", axis=None)]
    cases += [case("sort", (2, 67), rule="distinct", axis=1), case("argsort", (2, 67), rule="distinct", axis=1)]
    cases += [forward("sort", (3, 7), rule="distinct", axis=1, dtype=d, options={"probe": True}) for d in OTHER]
    cases += [forward("argsort", (3, 7), rule="distinct", axis=1, dtype=d, options={"probe": True}) for d in OTHER]
    cases += [own_dtype(case("argsort", (3, 7), rule="distinct", axis=1, own=d)) for d in (*FLOATS[1:], "int32", "int64", "uint8")]
    for kind in ("indices", "value", "mask", "both"):
        for params in ({"k": 1}, {"k": 2, "axis": 0}, {"k": 3, "axis": 1, "is_ascend": True}, {"k": 2, "axis": None}, {"k": 0, "axis": 1}):
            cases.append(case("topk", (3, 4), rule="distinct", ret_typ=kind, **params, options={"probe": True}))
        cases.append(case("topk", (2, 3, 5), rule="distinct", ret_typ=kind, k=2, axis=1))
        cases.append(case("topk", (2, 67), rule="distinct", ret_typ=kind, k=5))
        cases += [forward("topk", (3, 7), rule="distinct", ret_typ=kind, k=2, dtype=d, options={"probe": True}) for d in OTHER]
    cases += [own_dtype(case("topk", (3, 7), rule="distinct", k=2, own=d)) for d in (*FLOATS[1:], "int32", "int64", "uint8")]
    cases.append(case("topk", (3, 4), rule="distinct", k=5, axis=1, options={"error": ("node", "5", "4")}))
    for params in ({"bin_cnt": 4, "range": (-2.0, 2.0)}, {"bin_cnt": 7, "range": (0.0, 1.0)}):
        cases.append(forward("_histogram", arr(4, 9), build=histogram(params), options={"tag": f"bins{params['bin_cnt']}"}))
    cases.append(forward("_histogram", arr(5, 5), literal([-2.0, -0.5, 0.0, 1.0, 3.0])))
    cases.append(forward("_histogram", arr(5, 5, dtype="float64"), literal([-2.0, -0.5, 0.0, 1.0, 3.0], dtype="float64")))
    return cases


def histogram(params: dict) -> object:
    return lambda mx, x: mx.sym.histogram(x, bins=params["bin_cnt"], range=params["range"])


def sequences() -> list[Case]:
    cases = []
    lengths = literal([1.0, 3.0])
    for op in ("SequenceMask", "SequenceLast", "SequenceReverse"):
        cases.append(case(op, arr(4, 2, 3)))
        cases.append(case(op, arr(4, 2, 3), lengths, use_sequence_length=True))
        cases.append(case(op, arr(4, 2), lengths, use_sequence_length=True, options={"probe": True}))
    cases.append(case("SequenceMask", arr(2, 4, 3), lengths, use_sequence_length=True, axis=1, value=-1.5))
    cases.append(case("SequenceLast", arr(2, 4, 3), lengths, use_sequence_length=True, axis=1))
    return cases


CASES = picking() + placing() + ordering() + sequences()
