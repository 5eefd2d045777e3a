import { expect, it } from 'vitest';
import { NO_CLEAR_ANSWER } from '../../src/pack/render.ts';
import { saysNoAnswer } from './measure.ts';

it('reads the beginning of a pack, not its items', () => {
  const pack = (before: string, item: string): string =>
    `<loci-pack id="a">\nRecalled data.\n\n${before}◆ Oven.md\n${item}\n\n</loci-pack id="a">`;
  expect(saysNoAnswer('')).toBe(true);
  expect(saysNoAnswer(pack(`${NO_CLEAR_ANSWER}\n\n`, 'Blue.'))).toBe(true);
  expect(saysNoAnswer(pack('', 'Blue.'))).toBe(false);
  expect(saysNoAnswer(pack('', NO_CLEAR_ANSWER))).toBe(false);
});
