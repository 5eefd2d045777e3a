import type { CountTokens } from '../src/pack/tokens.ts';

/** The length of the longest beginning of a text that has at most so many tokens. UTF-16 code units. */
export function longestPrefix(text: string, tokens: number, count: CountTokens): number {
  // No token has more than 128 characters, and most have about four.
  let high = Math.min(text.length, tokens * 128);
  if (high === text.length && text.length < tokens * 8 && count(text) <= tokens) return high;
  let low = 0;
  high = Math.min(high, tokens * 12);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}
