import type { ProgressNotification } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { progressNotifier } from './progress-notifier.ts';

describe('progressNotifier', () => {
  it('increases through all stages, and never exceeds the total', () => {
    const sent: ProgressNotification['params'][] = [];
    let now = 0;
    const notify = async ({ params }: ProgressNotification): Promise<void> => void sent.push(params);
    const report = progressNotifier('token', notify, () => (now += 1000));
    const stages = [
      { stage: 'reading', subject: 'notes', total: 3 },
      { stage: 'embedding', subject: '', total: 2 },
    ] as const;
    for (const { total, ...stage } of stages)
      for (let done = 0; done <= total; done++) report({ ...stage, done, total });
    expect(sent.map(({ progress }) => progress)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(sent.map(({ total }) => total)).toEqual([3, 3, 3, 3, 5, 5]);
    expect(sent.map(({ message }) => message)).toContain('reading notes: 3 of 3');
  });

  it('notifies at most ten times a second, and at the end of each stage', () => {
    const sent: number[] = [];
    let now = 0;
    const notify = async ({ params }: ProgressNotification): Promise<void> => void sent.push(params.progress);
    const report = progressNotifier(1, notify, () => now);
    for (let done = 1; done <= 1000; done++, now += 1)
      report({ stage: 'embedding', subject: '', done, total: 1000 });
    expect(sent).toHaveLength(11);
    expect(sent.at(-1)).toBe(1000);
  });
});
