"""Bit operations on 64-bit words and random numbers, for kernels.

Words are `uint64`, and every constant and shift count that is combined with a
word must also be `uint64`: in compiled code, `uint64` mixed with `int64` gives a
signed result. `next_random` is SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast
splittable pseudorandom number generators", 2014): it has one word of state
and passes BigCrush.
"""

from operator import index
from typing import Any

import numpy as np

from boardgames.errors import OptionError, quote
from boardgames.kernels import types
from boardgames.kernels.abi import WORDS_OUT, Words, kernel
from boardgames.kernels.plain import compiled_by

ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U27, U30, U31, U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


def _popcount_code(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@compiled_by(_popcount_code)
def popcount(word: Any) -> Any:
    """Return the number of bits of a word that are set; this is one machine instruction."""
    return np.int64(int(word).bit_count())


def _lowest_bit_code(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@compiled_by(_lowest_bit_code)
def lowest_bit(word: Any) -> Any:
    """Return the index of the lowest bit that is set in a word; the word must not be 0."""
    return np.int64((int(word) & -int(word)).bit_length() - 1)


def _same_bits_code(source: Any, target: Any) -> Any:
    def code(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(types.numba_type(target)))

        return target(source), generate

    return code


@compiled_by(_same_bits_code(types.float64, types.int64))
def float_to_bits(real: Any) -> Any:
    """Return the 64 bits of a `float64` as an `int64`."""
    return np.float64(real).view(np.int64)


@compiled_by(_same_bits_code(types.int64, types.float64))
def bits_to_float(bits: Any) -> Any:
    """Return the `float64` with these 64 bits."""
    return np.int64(bits).view(np.float64)


@kernel(types.uint64(types.int64))
def bit(index: int) -> np.uint64:
    """Return the word with bit `index` (0 to 63) set."""
    return ONE << np.uint64(index)


@kernel(types.boolean(types.uint64, types.int64))
def has_bit(word: np.uint64, index: int) -> bool:
    """Return True if bit `index` (0 to 63) of `word` is set."""
    return (word >> np.uint64(index)) & ONE != np.uint64(0)


@kernel(types.uint64(types.uint64))
def mix(word: np.uint64) -> np.uint64:
    """Return a 64-bit hash of a word; different words have different hashes."""
    word = (word ^ (word >> U30)) * MIX_1
    word = (word ^ (word >> U27)) * MIX_2
    return word ^ (word >> U31)


@kernel(types.uint64(WORDS_OUT))
def next_random(state: Words) -> np.uint64:
    """Advance `state`, `uint64[1]`, and return 64 random bits."""
    state[0] += GOLDEN
    return mix(state[0])


@kernel(types.int64(WORDS_OUT, types.int64))
def random_below(state: Words, bound: int) -> int:
    """Advance `state`, `uint64[1]`, and return a random integer from 0 to `bound` - 1.

    `bound` is at most 2^32; the bias is below `bound` / 2^32.
    """
    return np.int64(((next_random(state) >> U32) * np.uint64(bound)) >> U32)


def random_states(seed: int, size: int) -> Words:
    """Return the states of `size` random generators, `uint64[size, 1]`.

    Raises
    ------
    OptionError
        If the seed is not an integer.
    """
    try:
        number = index(seed) % 2**64
    except TypeError:
        raise OptionError(f"seed must be an integer, not {quote(seed)}") from None
    return np.random.SeedSequence(number).generate_state(size, np.uint64).astype(np.uint64).reshape(size, 1)
