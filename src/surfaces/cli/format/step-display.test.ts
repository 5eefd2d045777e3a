import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../shared/io.ts';
import { StepDisplay } from './step-display.ts';

/** A display with a manual clock. */
function display(columns: number | null) {
  let written = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const output: Output = Object.assign(stream, columns === null ? {} : { isTTY: true as const, columns });
  const clock = { now: 0 };
  return { steps: new StepDisplay(output, () => clock.now), clock, text: () => written };
}

describe('StepDisplay', () => {
  it('counts the seconds of a step on a terminal, and leaves them on its line', () => {
    const { steps, clock, text } = display(80);
    steps.begin('install the plugin');
    clock.now = 12_900;
    steps.update('reading notes: 3 of 9');
    steps.redraw();
    steps.begin('check');
    steps.end();
    const lines = text()
      .split('\r\u001b[2K')
      .filter((line) => line !== '');
    expect(lines).toEqual([
      'loci: install the plugin',
      'loci: install the plugin (reading notes: 3 of 9, 12 s)',
      'loci: install the plugin (12 s)\n',
      'loci: check',
      'loci: check\n',
    ]);
  });

  it('never wraps, and keeps the time of a step with a long title', () => {
    const { steps, clock, text } = display(40);
    steps.begin('x'.repeat(200));
    clock.now = 5000;
    steps.end();
    const last = text().split('\r\u001b[2K').at(-1)!;
    expect(last).toMatch(/^loci: x+….* \(5 s\)\n$/);
    expect(last.length).toBeLessThanOrEqual(40);
  });

  it('prints a line for each step elsewhere, without control characters', () => {
    const { steps, text } = display(null);
    steps.begin('install\u001b[2J');
    steps.redraw();
    steps.begin('check');
    steps.end();
    expect(text()).not.toContain('\u001b');
    expect(text().split('\n')).toEqual([expect.stringMatching(/^loci: install/), 'loci: check', '']);
  });
});
