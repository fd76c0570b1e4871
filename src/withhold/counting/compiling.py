"""How numba compiles kernels in half the time: parts only inside their callers, and types looked up once.

Nothing here changes what the compiled code computes. numba is patched only while it compiles one of our
kernels.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types.functions import BaseFunction

_signatures: dict[tuple[Any, ...], Any] = {}
_resolve = BaseFunction.get_call_type


class KernelCompiler(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's own compiler, which remembers the types of operations that it has met."""

    def _compile_core(self) -> Any:
        with _remembering():
            return super()._compile_core()


class PartCompiler(KernelCompiler):
    """Compiles what only kernels call, into a ``Part``."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, Part(target.codegen(), "part"), *others)


class Part(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """Code that only ever runs inside its callers, where it is optimised and made machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """What numba asks to register where the code finds its constants; callers do that for their parts."""
        return self

    def set_env(self, *_: Any) -> None:
        pass


@contextmanager
def _remembering() -> Iterator[None]:
    theirs = BaseFunction.get_call_type
    BaseFunction.get_call_type = _call_type  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        BaseFunction.get_call_type = theirs  # type: ignore[method-assign]


def _call_type(function: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The signature of an operation on these types.

    For every ``a[i]`` of an array numba tries nine other kinds of containers first, and formats their errors.
    """
    key = function, context, arguments
    if named or key not in _signatures:
        signature = _resolve(function, context, arguments, named)
        # What is implemented in Python is compiled for the caller's options, so it is resolved each time.
        if named or function.get_impl_key(signature) != function.typing_key:
            return signature
        _signatures[key] = signature
    return _signatures[key]
