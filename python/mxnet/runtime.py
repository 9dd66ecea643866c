"""Features the library was built with."""

from __future__ import annotations

from .base import c_string, check_call, ffi, lib

__all__ = ["Feature", "Features", "feature_list"]


class Feature:
    """A build option: its ``name`` and whether it is ``enabled``."""

    __slots__ = ("enabled", "name")

    def __init__(self, name: str, enabled: bool):
        self.name = name
        self.enabled = enabled

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def feature_list() -> list[Feature]:
    """Return all build options."""
    features, size = ffi.new("struct LibFeature const **"), ffi.new("size_t *")
    check_call(lib.MXLibInfoFeatures(features, size))
    return [Feature(c_string(features[0][i].name), bool(features[0][i].enabled)) for i in range(size[0])]


class Features(dict):
    """The build options by name."""

    def __init__(self) -> None:
        super().__init__((f.name, f) for f in feature_list())

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Tell whether an option is on; an unknown name is a RuntimeError."""
        try:
            return self[feature_name.upper()].enabled
        except KeyError:
            raise RuntimeError(f"Feature '{feature_name}' is unknown, known features are: "
                               f"{', '.join(self)}") from None
