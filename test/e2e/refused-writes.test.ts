import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loci, temporaryFolder } from './loci-command.ts';

describe('a rejected command', () => {
  const options = { home: join(temporaryFolder(), 'home') };

  beforeAll(async () => {
    const vault = join(temporaryFolder(), 'notes');
    mkdirSync(vault);
    writeFileSync(join(vault, 'Fence.md'), 'The fence is green.');
    await loci(['index', vault], options);
    await loci(['write', 'The gate is red'], options);
    await loci(['fact', 'store', 'os', 'Linux'], options);
  });

  it.each([
    [['update', '9', '--title', 'x'], 4, 'not_found', 'there is no record 9'],
    [['update', '2'], 2, 'invalid_input', 'nothing to change in record 2'],
    [['update', 'two'], 2, 'invalid_input', 'ID must be a number, not "two"'],
    [['update', '1', '--title', 'x'], 2, 'invalid_input', 'record 1 is a note of the vault notes (Fence.md)'],
    [['update', '3', '--title', 'x'], 2, 'invalid_input', 'record 3 is the fact "os"'],
    [['update', '2', '--content', ' '], 2, 'invalid_input', 'content is empty'],
    [['delete', '1'], 2, 'invalid_input', 'record 1 is a note of the vault notes (Fence.md)'],
    [['delete', '0'], 2, 'invalid_input', 'ID must be more than 0, not 0'],
    [['delete'], 2, 'invalid_input', 'ID is missing'],
    [['undelete', '2'], 4, 'not_found', 'record 2 is not deleted'],
    [['undelete', '9'], 4, 'not_found', 'there is no record 9'],
    [['write', 'a\u0007b'], 2, 'invalid_input', 'content has the control character U+0007 at offset 1'],
    [
      ['write', 'x', '-t', 'a\u001bb'],
      2,
      'invalid_input',
      'title has the control character U+001b at offset 1',
    ],
    [
      ['write', 'x', '--idempotency-key', 'a b'],
      2,
      'invalid_input',
      '--idempotency-key must be printable ASCII',
    ],
    [['inbox', 'audit', '--record', '9'], 4, 'not_found', 'there is no record 9'],
    [
      ['inbox', 'audit', '--after', 'x'],
      2,
      'invalid_input',
      '--after must be the `next` of the previous page, not "x"',
    ],
    [['inbox', 'audit', '--limit', '0'], 2, 'invalid_input', '--limit must be at least 1, not 0'],
  ])('%j ends with %i, %s: %s', async (args, exit, code, message) => {
    const result = await loci([...args, '--json'], options);
    const { error } = JSON.parse(result.stdout) as { error: Record<'code' | 'message' | 'hint', string> };
    expect([result.code, error.code, result.stderr]).toEqual([exit, code, '']);
    expect(error.message.startsWith(message), error.message).toBe(true);
    expect(error.hint).not.toBe('');
  });

  it.each([
    ['content', { content: 'é'.repeat(524_289) }, /^content has 1048578 bytes; the limit is 1048576/],
    ['tags', { tags: Array.from({ length: 65 }, (_, i) => `t${String(i)}`) }, /64/],
    ['a tag', { tags: ['t'.repeat(101)] }, /100/],
    ['the title', { title: 't'.repeat(501) }, /500/],
  ])('exceeds the limit of %s', async (_, input, message) => {
    const stdin = JSON.stringify({ content: 'x', ...input });
    const { code, stdout } = await loci(['write', '--input', '-', '--json'], { ...options, stdin });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringMatching(message) as string },
    });
  });
});
