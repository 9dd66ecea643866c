"""Operators of the contrib name space."""

from __future__ import annotations

from cases import FLOATS, Case, arr, case, forward, index, literal


def attention() -> list[Case]:
    cases = []
    for heads, length, batch, size in ((1, 3, 2, 4), (2, 5, 3, 3), (3, 1, 1, 2)):
        hidden = heads * size
        for dtype in ("float32", "float64"):
            qkv = arr(length, batch, 3 * hidden, dtype=dtype)
            keys, weights = arr(length + 1, batch, 2 * hidden, dtype=dtype), arr(batch * heads, length, length + 1, dtype=dtype)
            own = arr(batch * heads, length, length, dtype=dtype)
            options = {"probe": dtype == "float64"}
            cases.append(case("_contrib_interleaved_matmul_selfatt_qk", qkv, heads=heads, options=options))
            cases.append(case("_contrib_interleaved_matmul_selfatt_valatt", qkv, own, heads=heads, options=options))
            cases.append(case("_contrib_interleaved_matmul_encdec_qk", arr(length, batch, hidden, dtype=dtype), keys, heads=heads, options=options))
            cases.append(case("_contrib_interleaved_matmul_encdec_valatt", keys, weights, heads=heads, options=options))
    cases.append(case("_contrib_interleaved_matmul_selfatt_qk", arr(3, 2, 13), heads=2, options={"error": ("node", "13")}))
    cases += [case("_contrib_div_sqrt_dim", s) for s in ((3, 4), (2, 3, 7))]
    return cases


def quantized() -> list[Case]:
    cases = []
    data = arr(3, 4, rule=("int", -100000, 100000), dtype="int32")
    low, high = literal([-3.0]), literal([3.0])
    cases.append(forward("_contrib_requantize", data, low, high, min_calib_range=-0.0001, max_calib_range=0.0001, options={"int_tol": 1}))
    cases.append(forward("_contrib_requantize", data, low, high, options={"int_tol": 1}))
    cases.append(forward("_contrib_requantize", data, low, high, min_calib_range=0.0, max_calib_range=0.0001, out_type="uint8", options={"int_tol": 1, "probe": True}))
    for out_type, rule in (("int8", "normal"), ("uint8", "positive")):
        cases.append(forward("_contrib_quantize_v2", arr(3, 4, rule=rule), out_type=out_type, options={"int_tol": 1}))
        cases.append(forward("_contrib_quantize_v2", arr(3, 4, rule=rule), out_type=out_type, min_calib_range=-1.0, max_calib_range=2.0, options={"int_tol": 1, "probe": True}))
        cases.append(forward("_contrib_quantize", arr(3, 4, rule=rule), literal([-2.0]), literal([3.0]), out_type=out_type, options={"int_tol": 1, "probe": True}))
        cases.append(forward("_contrib_dequantize", arr(3, 4, dtype=out_type), literal([-2.0]), literal([3.0]), options={"probe": True}))
    return cases


def others() -> list[Case]:
    cases = []
    cases.append(case("_contrib_index_copy", arr(5, 3), literal([1.0, 4.0], dtype="int64"), arr(2, 3)))
    cases.append(case("_contrib_index_copy", arr(4), literal([0, 3, 2], dtype="int32"), arr(3)))
    cases.append(case("_contrib_index_copy", arr(4, 2, 2, dtype="float64"), literal([3], dtype="int64"), arr(1, 2, 2, dtype="float64")))
    cases += [case("_contrib_index_copy", arr(5, 3), literal([1.0, 4.0]), arr(2, 3), options={"probe": True})]
    for params in ({"a": 1, "b": 2, "c": 3}, {}, {"a": -0.5}):
        cases.append(case("_contrib_quadratic", (3, 4), **params))
    cases += [case(op, (3, 4), dtype=d) for op in ("_contrib_round_ste", "_contrib_sign_ste") for d in FLOATS]
    cases.append(case("_contrib_gradientmultiplier", (3, 4), scalar=0.3))
    for params in ({}, {"axis": 0}, {"axis": -1}, {"start": 2, "step": 0.5}, {"repeat": 2}):
        cases.append(case("_contrib_arange_like", (4, 6), **params, options={"probe": True}))
    cases += [case("_contrib_index_array", (2, 3)), case("_contrib_index_array", (2, 3, 2), axes=(1, 0))]
    cases.append(forward("_contrib_allclose", arr(3, rule="ties"), arr(3, rule="ties")))
    for size in ((1,), (2,), (3, 2), ()):
        cases.append(case("_contrib_AdaptiveAvgPooling2D", (2, 3, 5, 6), output_size=size))
    for params in ({"height": 7, "width": 5}, {"height": 2, "width": 3}, {"height": 6, "width": 6, "align_corners": False}, {"scale_height": 2.0, "scale_width": 1.5}):
        cases.append(case("_contrib_BilinearResize2D", (2, 2, 4, 5), options={"probe": True}, **params))
    box = ("uniform", 0, 1)
    cases.append(forward("_contrib_box_iou", arr(3, 4, rule=box), arr(2, 4, rule=box)))
    cases.append(forward("_contrib_box_iou", arr(3, 4, rule=box), arr(2, 4, rule=box), format="center"))
    cases.append(forward("_contrib_MultiBoxPrior", arr(1, 2, 3, 4), sizes=(0.5, 0.3), ratios=(1.0, 2.0)))
    cases.append(case("_contrib_boolean_mask", arr(4, 3), literal([1, 0, 1, 1]), options={"probe": True}))
    cases.append(case("_contrib_ROIAlign", arr(1, 2, 8, 8), literal([[0, 0, 0, 6, 6], [0, 2, 1, 7, 5]]), pooled_size=(2, 2), spatial_scale=1.0, sample_ratio=2))
    rois = index(1, 5, high=1)
    cases.append(case("_contrib_ROIAlign", arr(1, 2, 8, 8), rois, pooled_size=(2, 2), spatial_scale=0.5, sample_ratio=2))
    return cases


CASES = attention() + quantized() + others()
