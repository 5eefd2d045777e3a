import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { outputColumns } from './io.ts';

describe('columnsOf', () => {
  it.each([
    [{ isTTY: true as const, columns: 72 }, 72],
    [{ isTTY: true as const, columns: 40 }, 40],
    [{ isTTY: true as const, columns: 300 }, 100],
    [{ isTTY: true as const, columns: 39 }, 80],
    [{ isTTY: true as const, columns: 0 }, 80],
    [{ isTTY: true as const }, 80],
    [{}, 100],
  ])('of %j is %i', (output, columns) => {
    expect(outputColumns(Object.assign(new PassThrough(), output))).toBe(columns);
  });
});
