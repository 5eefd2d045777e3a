import { expect, it } from 'vitest';
import { makeStyle } from '../format/style.ts';
import { exportMemory } from './portable.ts';

it('counts records, startup entries, audit entries and runs of an export', () => {
  const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
  const counts = {
    ...{ record: 1, deleted: 0, startup: 1, receipt: 0 },
    ...{ audit: 2, history: 3 },
  };
  const output = { lines: null, next: null, to: '/x/all.jsonl', counts, took_ms: 20 };
  expect(exportMemory.render(output, view).split('\n')[0]).toBe(
    'Exported 1 record (0 deleted), 1 startup entry, 2 audit entries, 3 runs to /x/all.jsonl.',
  );
});
