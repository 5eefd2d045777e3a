import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeFileError, systemErrorCode } from './file-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-errors-'));
symlinkSync('circle', join(folder, 'circle'));
afterAll(() => rmSync(folder, { recursive: true }));

function failureOf(path: string): unknown {
  try {
    readFileSync(path);
  } catch (error) {
    return error;
  }
  throw new Error('it could be read');
}

describe('describeFileError', () => {
  it.each([
    ['none', 'it does not exist'],
    ['.', 'it is a folder, not a file'],
    ['circle', 'its symbolic links form a loop'],
    ['x'.repeat(5000), 'its path is too long'],
  ])('explains why a file cannot be read, without its path: %s', (name, words) => {
    expect(describeFileError(failureOf(join(folder, name)))).toBe(words);
  });

  it('explains a file in place of a folder, and returns the message of other errors', () => {
    expect(describeFileError(failureOf(`${process.execPath}/x`))).toBe(
      'there is a file where a folder should be',
    );
    expect(describeFileError(new Error('odd'))).toBe('odd');
    expect(describeFileError(Object.assign(new Error('raw'), { code: 'EXDEV' }))).toBe(
      'the system reports EXDEV',
    );
    expect(systemErrorCode('ENOENT')).toBeNull();
  });
});
