import { describe, expect, it } from 'vitest';
import { LociError } from '../../../core/errors.ts';
import { compareVersions, isSupportedNode } from './program.ts';
import { runSteps, type SetupStep } from './setup.ts';

const never = new AbortController().signal;

/** Steps that write down what is run and reverted. */
function recorded(log: string[], failing: string, error: Error): SetupStep[] {
  return ['a', 'b', 'c'].map((title) => ({
    title,
    run: () => {
      log.push(title);
      return title === failing ? Promise.reject(error) : Promise.resolve();
    },
    revert: () => {
      log.push(`-${title}`);
      return Promise.resolve();
    },
  }));
}

describe('runSteps', () => {
  it('reverts the failed step and those before it, the last one first', async () => {
    const log: string[] = [];
    const steps = recorded(log, 'b', new LociError('unreadable', 'no file', { hint: 'Look.' }));
    const failure = runSteps(steps, never, () => undefined);
    await expect(failure).rejects.toMatchObject({ code: 'unreadable', message: '"b" failed: no file' });
    expect(log).toEqual(['a', 'b', '-b', '-a']);
  });

  it('reverts all that was done when it is stopped', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const steps = recorded(log, '', new Error()).map((step) => ({
      ...step,
      run: async () => {
        await step.run();
        if (step.title === 'b') controller.abort();
      },
    }));
    await expect(runSteps(steps, controller.signal, () => undefined)).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(log).toEqual(['a', 'b', '-b', '-a']);
  });

  it('says what could not be reverted, and reverts the rest', async () => {
    const log: string[] = [];
    const [first, second, third] = recorded(log, 'c', new LociError('unreadable', 'no file'));
    const broken = { ...second!, revert: () => Promise.reject(new Error('disk full')) };
    const failure = runSteps([first!, broken, third!], never, () => undefined);
    await expect(failure).rejects.toThrow(/Not everything was restored: b: disk full/);
    expect(log).toEqual(['a', 'b', 'c', '-c', '-a']);
  });
});

describe('versions', () => {
  it('are compared by their numbers', () => {
    expect(compareVersions('2026.10.1', '2026.9.6')).toBeGreaterThan(0);
    expect(compareVersions('2026.9.6-beta.1', '2026.9.6')).toBe(0);
    expect(compareVersions('2026.9.5', '2026.9.6')).toBeLessThan(0);
  });

  it.each([
    ['v24.16.0', true],
    ['v24.15.9', false],
    ['v25.3.0', false],
    ['v26.0.0', false],
    ['v26.1.0', true],
    ['v27.0.0', true],
  ])('of Node: %s', (version, supported) => {
    expect(isSupportedNode(version)).toBe(supported);
  });
});
