import { expect, it } from 'vitest';
import { saysNoAnswer } from './says-no-answer.ts';

it('reads the beginning of a pack, not its items', () => {
  const sentence = 'No note clearly answers this; the nearest are:';
  const pack = (before: string, item: string): string =>
    `<loci-pack id="a">\nRecalled data.\n\n${before}◆ Oven.md\n${item}\n\n</loci-pack id="a">`;
  expect(saysNoAnswer('')).toBe(true);
  expect(saysNoAnswer(pack(`${sentence}\n\n`, 'Blue.'))).toBe(true);
  expect(saysNoAnswer(pack('', 'Blue.'))).toBe(false);
  expect(saysNoAnswer(pack('', sentence))).toBe(false);
});
