"""Image operators: height x width x channel arrays, or batches of them."""

from __future__ import annotations

from cases import Case, arr, case, forward

PIXELS = ("int", 0, 256)


def geometry() -> list[Case]:
    cases = []
    for shape in ((6, 8, 3), (2, 5, 4, 3), (4, 4, 1)):
        cases.append(forward("_image_to_tensor", arr(*shape, rule=PIXELS, dtype="uint8")))
        # 1.9.1 hands the gradients of to_tensor and of the flips on as they are.
        cases.append(forward("_image_to_tensor", arr(*shape, rule=PIXELS)))
        for dtype in ("float32", "uint8"):
            rule = PIXELS if dtype == "uint8" else "normal"
            cases.append(forward("_image_crop", arr(*shape, rule=rule, dtype=dtype), x=1, y=2, width=3, height=2))
            if len(shape) == 3:
                cases += [forward(f"_image_flip_{way}", arr(*shape, rule=rule, dtype=dtype)) for way in ("left_right", "top_bottom")]
        cases.append(case("_image_crop", arr(*shape), x=0, y=1, width=2, height=3))
    for shape, mean, std in (
        ((3, 4, 5), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), ((2, 3, 4, 5), (0.5, 0.4, 0.3), (2.0, 3.0, 4.0)), ((1, 4, 4), (0.3,), (0.7,)),
        ((3, 4, 4), (0.5,), (0.25,)),
    ):
        cases.append(case("_image_normalize", arr(*shape), mean=mean, std=std))
    cases.append(forward("_image_crop", arr(4, 4, 3), x=3, y=0, width=3, height=2, options={"error": ("node",)}))
    # Only sizes at which linear interpolation needs no rounding rule, and nearest ones.
    for interp in (0, 1):
        for shape in ((4, 6, 3), (2, 4, 4, 3)):
            for size in ((8, 8), 6, (3, 2)):
                cases.append(forward("_image_resize", arr(*shape, rule=PIXELS), size=size, interp=interp, options={"probe": True}))
        cases.append(forward("_image_resize", arr(4, 6, 3, rule=PIXELS, dtype="uint8"), size=(7, 5), interp=interp, options={"int_tol": 1, "probe": True}))
    cases.append(forward("_image_resize", arr(4, 8, 3, rule=PIXELS), size=6, keep_ratio=True, options={"probe": True}))
    cases.append(forward("_image_resize", arr(8, 4, 1, rule=PIXELS), size=6, keep_ratio=True, options={"probe": True}))
    return cases


def colour() -> list[Case]:
    """With factors that leave no chance, the random operators are certain."""
    cases = []
    for alpha in ((0.1, -0.2, 0.3), (0.0, 0.0, 0.0)):
        cases.append(forward("_image_adjust_lighting", arr(4, 5, 3, rule=("uniform", 60, 200)), alpha=alpha))
        cases.append(forward("_image_adjust_lighting", arr(4, 5, 3, rule=PIXELS, dtype="uint8"), alpha=alpha, options={"int_tol": 1}))
    for name in ("brightness", "contrast", "saturation"):
        # 1.9.1 forgets red and green in the grey value of saturation.
        for factor in (1.0,) if name == "saturation" else (1.0, 0.6, 1.3):
            params = {"min_factor": factor, "max_factor": factor}
            for dtype in ("float32", "uint8"):
                shape = arr(4, 5, 3, rule=PIXELS, dtype=dtype)
                cases.append(forward(f"_image_random_{name}", shape, **params, options={"int_tol": 1, "tol": 5.0, "probe": True}))
    for factor in (0.0, 0.2):
        params = {"min_factor": factor, "max_factor": factor}
        cases.append(forward("_image_random_hue", arr(4, 5, 3, rule=PIXELS), **params, options={"tol": 20.0, "probe": True}))
    cases.append(forward("_image_random_lighting", arr(4, 5, 3, rule=PIXELS), alpha_std=0.0, options={"probe": True}))
    # An even grey stays what it is, whatever the random numbers say.
    grey = arr(4, 6, 3, rule=("fill", 100))
    for way in ("left_right", "top_bottom"):
        cases.append(forward(f"_image_random_flip_{way}", grey))
    cases.append(forward("_image_random_color_jitter", grey, brightness=0.0, contrast=0.4, saturation=0.0, hue=0.3, options={"tol": 5.0}))
    return cases


CASES = geometry() + colour()
