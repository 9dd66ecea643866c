"""Checkpoints: a symbol and its parameters in two files."""

from __future__ import annotations

import warnings
from typing import Any

from . import ndarray, symbol

__all__ = ["load_checkpoint", "load_params", "save_checkpoint"]


def save_checkpoint(prefix: str, epoch: int, symbol: Any, arg_params: dict, aux_params: dict,
                    remove_amp_cast: bool = True) -> None:
    """Write ``<prefix>-symbol.json`` and ``<prefix>-<epoch in 4 digits>.params``.

    Parameters
    ----------
    prefix : str
    epoch : int
    symbol : Symbol or None
        None writes the parameters only.
    arg_params, aux_params : dict of str to NDArray
    remove_amp_cast : bool, default True
        Leave out of the symbol the casts put in by automatic mixed precision.
    """
    if symbol is not None:
        symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    params = {f"arg:{name}": value.as_in_context(_cpu()) for name, value in arg_params.items()}
    params.update((f"aux:{name}", value.as_in_context(_cpu())) for name, value in (aux_params or {}).items())
    ndarray.save(f"{prefix}-{epoch:04d}.params", params)


def _cpu() -> Any:
    from .context import cpu
    return cpu()


def load_params(prefix: str, epoch: int) -> tuple[dict, dict]:
    """Read the parameters of a checkpoint.

    Returns
    -------
    arg_params, aux_params : dict of str to NDArray
    """
    path = f"{prefix}-{epoch:04d}.params"
    loaded = ndarray.load(path)
    arg_params: dict = {}
    aux_params: dict = {}
    if not loaded:
        warnings.warn(f"Params file '{path}' is empty", stacklevel=2)
        return arg_params, aux_params
    if not isinstance(loaded, dict):
        raise ValueError(f"'{path}' holds {len(loaded)} arrays without names, which are no parameters of a symbol")
    for key, value in loaded.items():
        kind, colon, name = key.partition(":")
        if colon and kind == "arg":
            arg_params[name] = value
        elif colon and kind == "aux":
            aux_params[name] = value
    return arg_params, aux_params


def load_checkpoint(prefix: str, epoch: int) -> tuple[Any, dict, dict]:
    """Read a symbol and its parameters.

    Returns
    -------
    symbol : Symbol
    arg_params, aux_params : dict of str to NDArray
    """
    return symbol.load(f"{prefix}-symbol.json"), *load_params(prefix, epoch)
