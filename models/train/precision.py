"""In which numbers a step is calculated: bfloat16 where the processor has products of them.

Without instructions for it (AVX-512 BF16 or AMX) such products are made up of others and take four
times as long as those of float32.
"""

from contextlib import AbstractContextManager

import torch

INSTRUCTIONS = ("avx512_bf16", "amx_bf16")


def has_bfloat16() -> bool:
    """Whether this processor multiplies matrices of bfloat16 by itself."""
    found = torch.cpu.get_capabilities()
    return any(found.get(name) for name in INSTRUCTIONS)


def reduced() -> AbstractContextManager[object]:
    """Products in bfloat16 where that is faster, else all in float32."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16())
