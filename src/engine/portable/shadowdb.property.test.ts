import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEngine } from '../../../test/contract/export-samples.ts';
import { type Shadowdb, shadowdb } from '../../../test/contract/shadowdb-tables.ts';
import { repetitions } from '../../../test/repetitions.ts';
import { startupEntries } from '../../store/items/kinds.ts';
import { importMemory } from './import.ts';
import type { ImportOutput } from './import-report.ts';

let db: Shadowdb;
beforeAll(async () => (db = await shadowdb()));
afterAll(() => db[Symbol.asyncDispose]());

/** Rows as other programs, or people, may have written them. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    ' ',
    '\u001b[1m',
    '\u{1f600}'.repeat(400),
    'x'.repeat(3000),
    'pack_history',
    '#tag/',
    'Same',
  ),
);
const time = fc.constantFrom(
  null,
  'infinity',
  '-infinity',
  '0044-03-15 BC',
  '20000-01-01',
  '1969-01-01',
  '2026-01-01',
  '2099-01-01',
);
const hostileRow = fc.record({
  id: fc.constantFrom(-1, 0, 1, 2, 3, 4, 5, 2 ** 31, '9223372036854775807'),
  content: fc.oneof(text, fc.constantFrom(null, 'y'.repeat(1_048_577))),
  title: fc.option(text),
  category: fc.option(text),
  record_type: fc.option(text),
  tags: fc.option(fc.array(fc.option(text), { maxLength: 80 })),
  metadata: fc.constantFrom(
    null,
    '[]',
    '1e400',
    '{"a":{"b":[null,1.10]}}',
    `"${'z'.repeat(30_000)}"`,
    '['.repeat(5000) + ']'.repeat(5000),
  ),
  created_at: time,
  updated_at: time,
  deleted_at: time,
});

const rowsOfTable = fc.uniqueArray(hostileRow, { maxLength: 8, selector: ({ id }) => id });

it('an import of any rows counts each, and finds them unchanged the next time', async () => {
  await db.reset(
    'documented',
    `DROP TABLE memories; ALTER TABLE startup ALTER priority DROP NOT NULL;
     CREATE TABLE memories (id bigint, content text, title text, category text, record_type text, tags text[], metadata jsonb,
       created_at timestamptz, updated_at timestamptz, deleted_at timestamptz)`,
  );
  const priorities = fc.array(fc.option(fc.integer()), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(rowsOfTable, priorities, async (rows, given) => {
      await db.client.query('TRUNCATE memories, startup');
      for (const row of rows)
        await db.client.query(
          'INSERT INTO memories VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
          Object.values(row),
        );
      const startup =
        'INSERT INTO startup SELECT key, $1, priority FROM unnest($2::text[], $3::integer[]) AS t(key, priority)';
      await db.client.query(startup, ['text', given.map((_, i) => String(i)), given]);
      const context = await openEngine();
      const first = await importMemory(context, { path: db.url });
      const sum = (output: ImportOutput['records']): number =>
        Object.values(output).reduce((total, count) => total + count, 0);
      expect([sum(first.records), first.startup.added]).toEqual([rows.length, given.length]);
      const { records, startup: entries } = await importMemory(context, { path: db.url });
      expect([records.added, records.updated, records.removed]).toEqual([0, 0, 0]);
      expect([records.refused, entries.unchanged]).toEqual([first.records.refused, given.length]);
      const order = (await startupEntries(context.store.records, 'default'))
        .toSorted((a, b) => rank(given, a.key) - rank(given, b.key))
        .map(({ priority }) => priority);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }),
    { numRuns: repetitions(10, 200) },
  );
});

function rank(priorities: readonly (number | null)[], key: string): number {
  return priorities[Number(key)] ?? 2 ** 31;
}
