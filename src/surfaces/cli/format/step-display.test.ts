import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { StepDisplay } from './step-display.ts';

it('prints a line for each step, and every five seconds how far it is', () => {
  const output = new PassThrough();
  let now = 0;
  const steps = new StepDisplay(output, () => now);
  steps.begin('install\u001b[2J');
  for (now of [1000, 6000, 7000]) steps.update(`reading notes: ${String(now)}`);
  steps.begin('check');
  expect(String(output.read())).toBe('loci: install␛[2J\nloci:   reading notes: 6000\nloci: check\n');
});
