"""Where a step is calculated and in which numbers: bfloat16 where there are products of it.

A GPU has them. On a processor without instructions for it (AVX-512 BF16 or AMX) such products are
made up of others and take four times as long as those of float32.
"""

from contextlib import AbstractContextManager

import torch

INSTRUCTIONS = ("avx512_bf16", "amx_bf16")


def device() -> torch.device:
    """The GPU that PyTorch finds, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def has_bfloat16(where: torch.device) -> bool:
    """Whether it multiplies matrices of bfloat16 by itself."""
    if where.type == "cuda":
        return True
    found = torch.cpu.get_capabilities()
    return any(found.get(name) for name in INSTRUCTIONS)


def reduced(where: torch.device) -> AbstractContextManager[object]:
    """Products in bfloat16 where that is faster, else all in float32."""
    return torch.autocast(where.type, dtype=torch.bfloat16, enabled=has_bfloat16(where))
