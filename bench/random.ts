/** A random number generator with the same sequence on every machine and in every run. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  uniform(): number;
  /** An integer from 0 inclusive to `bound` exclusive. */
  below(bound: number): number;
  /** Mean 0, variance 1. */
  gauss(): number;
  /** A rank from 0, with a probability proportional to 1 / (rank + 1 + offset) ^ exponent. */
  zipf(ranks: number, exponent: number, offset?: number): () => number;
}

/** xoshiro128** (Blackman & Vigna 2018); normal deviates by Marsaglia's polar method. */
export function createRandom(seed: number): Random {
  let s0 = 0x9e3779b9 ^ seed;
  let s1 = 0x243f6a88;
  let s2 = 0xb7e15162;
  let s3 = 0xdeadbeef;
  let spare: number | null = null;

  const uniform = (): number => {
    const shifted = s1 << 9;
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = (s3 << 11) | (s3 >>> 21);
    return (result >>> 0) / 2 ** 32;
  };

  const gauss = (): number => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    for (;;) {
      const u = uniform() * 2 - 1;
      const v = uniform() * 2 - 1;
      const square = u * u + v * v;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = v * factor;
      return u * factor;
    }
  };

  return {
    uniform,
    gauss,
    below: (bound) => Math.floor(uniform() * bound),
    zipf: (ranks, exponent, offset = 0) => zipfOf(uniform, ranks, exponent, offset),
  };
}

function zipfOf(uniform: () => number, ranks: number, exponent: number, offset: number): () => number {
  const cumulative = new Float64Array(ranks);
  let sum = 0;
  for (let i = 0; i < ranks; i++) cumulative[i] = sum += 1 / (i + 1 + offset) ** exponent;
  return () => {
    const target = uniform() * sum;
    let low = 0;
    let high = ranks - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
