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
    [['update', '1', '--title', 'x'], 2, 'invalid_input', 'record 1 is a note of the vault notes (Fence.md)'],
    [['delete', '1'], 2, 'invalid_input', 'record 1 is a note of the vault notes (Fence.md)'],
    [['undelete', '2'], 4, 'not_found', 'record 2 is not deleted'],
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
  ])('%j ends with %i, %s: %s', async (args, exit, code, message) => {
    const result = await loci([...args, '--json'], options);
    const { error } = JSON.parse(result.stdout) as { error: Record<'code' | 'message' | 'hint', string> };
    expect([result.code, error.code, result.stderr]).toEqual([exit, code, '']);
    expect(error.message.startsWith(message), error.message).toBe(true);
    expect(error.hint).not.toBe('');
  });
});
