import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDiff } from '../audit/audit.ts';
import { formerText } from './plan-undo.ts';

const line = fc.constantFrom(
  '',
  'a',
  'b',
  '- x',
  '+ y',
  '\\ No newline at end of file',
  '@@ -1 +1 @@',
  '--- a',
  '\r',
  'ü\u2028',
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '')), { maxLength: 12 })
  .map((lines) => lines.map((parts) => parts.join('')).join(''));

describe('the text before a change', () => {
  it('follows from the text after it and the patch, whatever both are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        expect(formerText(after, contentDiff(before, after))).toBe(before);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['another text after it', 'x\ny\nz\n', contentDiff('a\nb\n', 'a\nc\n')],
    ['a text that is too short', 'a\n', contentDiff('a\nb\n', 'a\nb\nc\n')],
    ['what is no change of a text', 'a', { characters: 1 }],
  ])('does not follow from %s', (_, after, change) => {
    expect(formerText(after, change)).toBeNull();
  });
});
