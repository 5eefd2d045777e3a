import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { captureFigures, readCaptureSet } from './capture.ts';

it.each(['development', 'held-out', 'fresh'])(
  'auto-capture stores only what it should, no secret, and finds what lasts: %s',
  async (name) => {
    const set = readCaptureSet(name);
    const figures = await captureFigures(set);
    const report = figures.mistakes.join('\n');
    expect(set.length).toBeGreaterThanOrEqual(80);
    expect(figures.precision, report).toBeGreaterThanOrEqual(0.95);
    expect(figures.secrets, report).toBe(0);
    expect(figures.recall, report).toBeGreaterThanOrEqual(0.9);
    expect(figures.found, report).toBeGreaterThanOrEqual(0.95);
  },
);

it('decides the same in a process in which V8 optimizes no patterns', async () => {
  const script = `
    const { captureFigures, readCaptureSet } = await import(${JSON.stringify(new URL('./capture.ts', import.meta.url))});
    console.log(JSON.stringify((await captureFigures(readCaptureSet('development'))).mistakes));`;
  const args = ['--no-regexp-optimization', '--input-type=module', '--eval', script];
  const mistakes: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(mistakes).toEqual((await captureFigures(readCaptureSet('development'))).mistakes);
});
