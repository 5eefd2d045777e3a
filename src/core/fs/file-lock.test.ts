import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FileLock } from './file-lock.ts';

it('one lock of a file is held at a time, also if its file was left behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-lock-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'x.lock');
  const [first, second] = [new FileLock(file), new FileLock(file)];
  expect([first.acquire(), first.acquire(), second.acquire()]).toEqual([true, true, false]);
  first.release();
  expect([second.acquire(), second.isHeld, first.acquire(), first.isHeld]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  second.release();
  expect(() => new FileLock(folder).acquire()).toThrow(`${folder} cannot be used as a lock`);
});
