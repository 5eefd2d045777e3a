import type { ProgressNotification } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { progressTeller } from './progress.ts';

type Told = ProgressNotification;

describe('progress', () => {
  it('grows through all stages, with totals that it never passes', () => {
    const told: Told['params'][] = [];
    let now = 0;
    const notify = async ({ params }: Told): Promise<void> => void told.push(params);
    const tell = progressTeller('token', notify, () => (now += 1000));
    const stages = [
      { stage: 'reading', subject: 'notes', total: 3 },
      { stage: 'embedding', subject: '', total: 2 },
    ] as const;
    for (const { total, ...stage } of stages)
      for (let done = 0; done <= total; done++) tell({ ...stage, done, total });
    expect(told.map(({ progress }) => progress)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(told.map(({ total }) => total)).toEqual([3, 3, 3, 3, 5, 5]);
    expect(told.map(({ message }) => message)).toContain('reading notes: 3 of 3');
  });

  it('is told ten times a second at most, the end of a stage always', () => {
    const told: number[] = [];
    let now = 0;
    const notify = async ({ params }: Told): Promise<void> => void told.push(params.progress);
    const tell = progressTeller(1, notify, () => now);
    for (let done = 1; done <= 1000; done++, now += 1)
      tell({ stage: 'embedding', subject: '', done, total: 1000 });
    expect(told).toHaveLength(11);
    expect(told.at(-1)).toBe(1000);
  });
});
