import { describe, expect, it } from 'vitest';
import { TaskThread } from '../../core/threads/task-thread.ts';
import { fileTextOf, filedIn, READ_FILED, type Filed } from './export-file-text.ts';

describe('filedIn', () => {
  it('refuses what YAML can multiply or draw out, in words and soon', () => {
    const lines = (line: (i: number) => string, count: number): string =>
      Array.from({ length: count }, (_, i) => line(i)).join('\n');
    const laughs = lines((i) => `l${String(i + 1)}: &l${String(i + 1)} [*l${String(i)}, *l${String(i)}]`, 30);
    const hostile = [
      `l0: &l0 [x, x]\n${laughs}`,
      `a: &a [x]\n${lines((i) => `k${String(i)}: *a`, 3000)}`,
      `a: &a [x]\n${lines((i) => `k${String(i)}: *a`, 150_000)}`,
      lines((i) => `k${String(i)}: x`, 150_000),
      `a: ${'['.repeat(20_000)}`,
      '- '.repeat(10_000),
      '&a '.repeat(10_000),
      'a: !!js/function "process.exit()"',
      '__proto__: {"id": 1}',
      '"__proto__": {id: 1}\n<<: {uuid: x}',
    ];
    for (const yaml of hostile) {
      const started = performance.now();
      expect(filedIn('record', `---\n${yaml}\n---\ntext`), yaml.slice(0, 20)).toBeTypeOf('string');
      expect(performance.now() - started, yaml.slice(0, 20)).toBeLessThan(5000);
    }
    expect(({} as Record<string, unknown>)['id']).toBeUndefined();
  });

  it('gives back what was written, also where a thread reads it', async () => {
    const times = { createdAt: 1, updatedAt: 2, deletedAt: null };
    const content = `${'x'.repeat(20_000)}\n---\n`;
    const entry = { agent: '', key: 'soul', content, priority: 1, reinforce: false, ...times };
    const item: Filed = { type: 'startup', entry };
    const text = fileTextOf(item);
    expect(filedIn('startup', text)).toEqual(item);
    const thread = new TaskThread();
    expect(await thread.run(READ_FILED, ['startup', text], { size: text.length })).toEqual(item);
    await thread.close();
  });
});
