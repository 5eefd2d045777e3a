import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../shared/io.ts';
import { ProgressDisplay } from './progress-display.ts';

/** A display with a manual clock. */
function display(terminal: boolean, columns = 80) {
  let written = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const output: Output = Object.assign(stream, terminal ? { isTTY: true as const, columns } : {});
  const clock = { now: 0 };
  const progress = new ProgressDisplay(output, () => clock.now);
  return {
    text: () => written,
    clear: () => progress.clear(),
    update: (now: number, stage: 'reading' | 'embedding' | 'deriving', done: number, total: number) => {
      clock.now = now;
      progress.update({ stage, subject: 'notes\u001b[2J', done, total });
    },
  };
}

describe('ProgressDisplay', () => {
  it('shows nothing for a call that ends within a second', () => {
    const { update, text, clear } = display(false);
    update(10, 'reading', 1, 2);
    update(990, 'reading', 2, 2);
    clear();
    expect(text()).toBe('');
  });

  it('fits into a narrow terminal', () => {
    for (const [columns, max] of [
      [20, 19],
      [0, 79],
    ] as const) {
      const { update, text } = display(true, columns);
      update(2000, 'reading', 1, 1000);
      const line = text().replace('\r\u001b[2K', '');
      expect(line.length).toBeGreaterThan(Math.min(max, 30) - 2);
      expect(line.length).toBeLessThanOrEqual(max);
    }
  });

  it('writes a line every five seconds when the output is not a terminal, with rate and time left', () => {
    const { update, text } = display(false);
    update(0, 'reading', 1, 1000);
    for (let now = 100; now <= 8000; now += 100) update(now, 'reading', 1 + now / 10, 1000);
    update(9000, 'embedding', 128, 2000);
    update(14_000, 'embedding', 256, 2000);
    expect(text().split('\n')).toEqual([
      'loci: reading notes␛[2J: 101 of 1000, 100/s, 9.0 s left',
      'loci: reading notes␛[2J: 601 of 1000, 100/s, 4.0 s left',
      'loci: embedding: 256 of 2000, 26/s, 68 s left',
      '',
    ]);
  });

  it('draws a bar on a terminal and removes it at the end', () => {
    const { update, text, clear } = display(true);
    update(0, 'deriving', 64, 0);
    update(1100, 'embedding', 10, 20);
    update(1150, 'embedding', 11, 20);
    clear();
    expect(text()).toBe('\r\u001b[2Kembedding ████████████░░░░░░░░░░░░ 10 of 20\r\u001b[2K');
  });
});
