import { countTokens, decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { loadTokenCounter } from './tokens.ts';

const count = await loadTokenCounter();

it('counts what the tokenizer counts, special tokens as plain text', () => {
  const words =
    'The oven needs 32 A, und zwar dreiphasig. 我们买了一个新的烤箱。\n\n- [ ] call  the plumber 👩‍🔧\t#home\r\n';
  const text = words.repeat(40);
  expect(count(text)).toBe(countTokens(text));
  expect(count('<|endoftext|>')).toBe(encode('<|endoftext|>', { disallowedSpecial: new Set() }).length);
  expect(decode(encode(words))).toBe(words);
});

it.each(['a', ' ', '\n', '.', '好', '😀', '\ud83d', 'ab', '\u0301', 'AB9_'])(
  'takes little time for a long run of %j, and never counts too few tokens',
  (unit) => {
    const text = unit.repeat(300_000);
    const started = performance.now();
    const tokens = count(`the oven ${text} and the kitchen`);
    // A time that is quadratic in the length would be minutes.
    expect(performance.now() - started).toBeLessThan(5000);
    const short = unit.repeat(100);
    expect(count(short)).toBe(countTokens(short));
    expect(tokens).toBeGreaterThanOrEqual(300_000 / 256);
  },
);
