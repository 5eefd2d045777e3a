import { subscribe } from 'node:diagnostics_channel';
import { expect } from 'vitest';

// Vitest runs this module for each test file, in threads that share modules and diagnostics channels. It subscribes only once.
const SUBSCRIBED = Symbol.for('loci: tests of the project "unit" start no process');

if (!Object.hasOwn(globalThis, SUBSCRIBED)) {
  Object.defineProperty(globalThis, SUBSCRIBED, { value: true });
  subscribe('tracing:child_process.spawn:start', () => {
    const file = expect.getState().testPath ?? 'a test file';
    throw new Error(`${file} starts a process: add it to PROCESS_TESTS in vitest.config.ts`);
  });
}
