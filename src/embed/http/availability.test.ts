import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { Availability } from './availability.ts';

function clock(): { now: () => number; pass: (milliseconds: number) => void } {
  let time = 1_800_000_000_000;
  return { now: () => time, pass: (milliseconds) => (time += milliseconds) };
}

describe('Availability', () => {
  it('fails calls at once after a failure, until a try succeeds', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    expect([availability.failure, availability.beginTry()]).toEqual([null, null]);
    availability.failed('no connection');
    pass(400);
    expect(availability.failure).toMatchObject({
      code: 'embedding_unavailable',
      message: 'no connection (0 s ago)',
    });
    expect(availability.beginTry()).toBeNull();
    pass(600);
    expect(availability.beginTry()).toBe('aside');
    // One caller at a time tries.
    expect(availability.beginTry()).toBeNull();
    availability.succeeded(12);
    expect(availability.failure).toBeNull();
  });

  it('tries less and less often, and at least once a minute', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    const pauses: number[] = [];
    availability.failed('down');
    for (let failures = 0; failures < 9; failures++) {
      let paused = 0;
      for (; availability.beginTry() === null; paused += 500) pass(500);
      pauses.push(paused);
      availability.failed('down');
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('counts calls that began before the failure was known as one failure', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    for (let call = 0; call < 8; call++) availability.failed('down');
    pass(1000);
    expect(availability.beginTry()).toBe('aside');
  });

  it('lets searches wait for the usual time and 100 ms', () => {
    const availability = new Availability({ provider: 'p', file: null });
    expect(availability.maxWaitMs).toBe(100);
    availability.succeeded(null);
    expect(availability.usualMs).toBeNull();
    availability.succeeded(300);
    expect(availability.maxWaitMs).toBe(400);
    availability.succeeded(100);
    expect(availability.maxWaitMs).toBeCloseTo(380);
    availability.succeeded(60_000);
    expect(availability.maxWaitMs).toBe(1100);
  });

  it('lets the next search wait twice as long after a late answer, up to 2 s, until one is in time', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    const waits: number[] = [];
    for (let query = 0; query < 6; query++) {
      waits.push(availability.maxWaitMs);
      availability.late('late');
      // Another query that was late at the same time is not another try.
      availability.late('late');
      pass(2000);
      expect(availability.beginTry()).toBe('aside');
    }
    expect(waits).toEqual([100, 200, 400, 800, 1600, 2000]);
    availability.succeeded(1500);
    expect([availability.failure, availability.maxWaitMs]).toEqual([null, 1600]);
    availability.succeeded(1500);
    expect(availability.maxWaitMs).toBe(1600);
  });

  it('asks less and less often when none of the longest waits was enough', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    const pauses: number[] = [];
    for (let query = 0; query < 8; query++) {
      let paused = 0;
      availability.late('late');
      for (; availability.beginTry() === null; paused += 500) pass(500);
      pauses.push(paused);
    }
    expect(pauses).toEqual([1000, 1000, 1000, 1000, 1000, 2000, 4000, 8000]);
    // An answer comes, but too late for every search.
    availability.succeeded(5000);
    expect(availability.failure?.message).toContain('takes 5.0 s to answer');
    pass(16_000);
    availability.beginTry();
    availability.succeeded(30);
    expect(availability.failure).toBeNull();
  });

  it('does not wait longer after a connection was refused', () => {
    const { now, pass } = clock();
    const availability = new Availability({ provider: 'p', file: null, now });
    for (let query = 0; query < 6; query++) {
      availability.failed('refused');
      pass(60_000);
      availability.beginTry();
    }
    expect(availability.maxWaitMs).toBe(100);
  });

  it('shares what it learns with other processes, which try once', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'state.json');
    const { now, pass } = clock();
    const first = new Availability({ provider: 'ollama a', file, now });
    first.succeeded(200);
    first.failed('no connection');
    await first.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const second = new Availability({ provider: 'ollama a', file, now });
    expect(second.failure?.message).toBe('no connection (0 s ago)');
    expect(second.maxWaitMs).toBe(300);
    expect(second.beginTry()).toBeNull();
    pass(1000);
    expect(second.beginTry()).toBe('wait');
    second.failed('still no connection');
    pass(2000);
    expect(second.beginTry()).toBe('aside');
    second.succeeded(200);
    await second.close();
    expect(new Availability({ provider: 'ollama a', file, now }).failure).toBeNull();
  });

  it('ignores the file of another provider, and a damaged one', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'state.json');
    const first = new Availability({ provider: 'ollama a', file });
    first.failed('down');
    await first.close();
    expect(new Availability({ provider: 'ollama b', file }).failure).toBeNull();
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 20));
    expect(new Availability({ provider: 'ollama a', file }).failure).toBeNull();
  });
});
