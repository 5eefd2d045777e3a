import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../core/progress.ts';
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
    report: (now: number, shown: Progress) => {
      clock.now = now;
      progress.update(shown);
    },
    update: (now: number, stage: Progress['stage'], done: number, total: number, work?: Progress['work']) => {
      clock.now = now;
      progress.update({ stage, subject: 'notes\u001b[2J', done, total, ...(work !== undefined && { work }) });
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

  it('writes lines at growing intervals when the output is not a terminal, with rate and time left', () => {
    const { update, text } = display(false);
    update(0, 'reading', 1, 1000);
    for (let now = 100; now <= 18_000; now += 100) update(now, 'reading', 1 + now / 20, 1000);
    update(19_000, 'embedding', 128, 2000);
    update(28_000, 'embedding', 256, 2000);
    update(29_000, 'embedding', 384, 2000);
    expect(text().split('\n')).toEqual([
      'loci: reading notes␛[2J: 51 of 1000, 50/s',
      'loci: reading notes␛[2J: 551 of 1000, 50/s, 9.0 s left',
      'loci: Search works now, by words. It also finds by meaning what is embedded.',
      'loci: embedding: 128 of 2000',
      'loci: embedding: 384 of 2000, 26/s, 63 s left',
      '',
    ]);
  });

  it('says that search works while records are related, and computes no time left from the first seconds', () => {
    const { update, text } = display(true, 100);
    update(2000, 'relating', 1, 1000);
    update(2200, 'relating', 900, 1000);
    expect(text()).toContain('Search works now. The graph follows.\n');
    expect(text()).not.toContain('left');
    update(5000, 'relating', 901, 1000);
    expect(text()).toMatch(/901 of 1000, 300\/s, 0\.3 s left/);
  });

  it('computes the time left from the work, which differs between texts', () => {
    const { update, text } = display(true, 100);
    const work = (done: number) => ({ done, total: 100_000 });
    update(0, 'embedding', 0, 200, work(0));
    // The first texts are short.
    update(10_000, 'embedding', 100, 200, work(10_000));
    update(50_000, 'embedding', 140, 200, work(50_000));
    expect(text().match(/\S+ s left/g)).toEqual(['90 s left', '50 s left']);
  });

  it('says what works meanwhile, if that is not what is being embedded', () => {
    const stream = display(false);
    stream.report(2000, {
      stage: 'embedding',
      subject: '',
      done: 1,
      total: 2,
      meanwhile: 'Searches use those of\u001b[2J.',
    });
    expect(stream.text()).toBe('loci: Searches use those of␛[2J.\nloci: embedding: 1 of 2\n');
  });

  it('draws a bar on a terminal and removes it at the end', () => {
    const { update, text, clear } = display(true);
    update(0, 'deriving', 64, 0);
    update(1100, 'embedding', 10, 20);
    update(1150, 'embedding', 11, 20);
    clear();
    const announced = 'Search works now, by words. It also finds by meaning what is embedded.\n';
    expect(text()).toBe(
      `\r\u001b[2K${announced}\r\u001b[2Kembedding ████████████░░░░░░░░░░░░ 10 of 20\r\u001b[2K`,
    );
  });
});
