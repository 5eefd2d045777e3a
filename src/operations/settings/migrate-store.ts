import { z } from 'zod';
import { resolve } from 'node:path';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { expandHome } from '../../config/paths.ts';
import {
  connectStore,
  locateStore,
  assertPath,
  namesDatabase,
  type StoreSettings,
} from '../../store/registry.ts';
import { copyStore } from '../../store/sql/admin/copy-store.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({
  to: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Where the new store is: a connection string that begins with `postgres://`, the place of one (`env:NAME`, `file:/path`), or the ' +
        'path of a file for SQLite.',
    ),
});

const output = z.strictObject({
  from: z.string(),
  to: z.string(),
  namespaces: z.array(
    z.strictObject({
      namespace: z.string(),
      records: z.number().int(),
      passages: z.number().int(),
      vectors: z.number().int(),
      audit_entries: z.number().int(),
      rows: z.number().int().describe('Rows of all tables.'),
    }),
  ),
});
export type MigrateStoreOutput = z.infer<typeof output>;

export const migrateStoreOperation: Operation<typeof input, typeof output> = {
  name: 'migrate-store',
  title: 'Copy the store to another database',
  description:
    'Copies everything that Loci remembers, vectors and the audit log included, into an empty store in PostgreSQL or in a file, and ' +
    'compares every row. The store itself stays as it is and in use: set `store.connectionString` or `store.path` afterwards. Nothing ' +
    'may write to either store meanwhile. A copy that was stopped goes on where it was.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  local: true,
  steps: true,
  // The run would make the store differ from its copy.
  unrecorded: true,
  examples: [{ title: 'Into another file', input: { to: '~/loci-copy.db' } }],
  run: async (context, { to }) => {
    const { store: settings } = (await context.loadConfig()).values;
    const target = settingsOf(to);
    const [from, into] = [locateStore(settings), locateStore(target)];
    const identity = await from.identity();
    if (from.name === into.name || (identity !== null && identity === (await into.identity())))
      throw new LociError('invalid_input', `to: ${into.name} is the store itself`);
    const source = await connectStore(settings, { create: false });
    try {
      const copy = await connectStore(target, { create: true });
      try {
        const copied = await copyStore(
          source.driver,
          copy.driver,
          sha256(`${from.name} ${String(identity)}`),
          {
            signal: context.signal,
            onProgress: context.onProgress,
          },
        );
        return {
          from: from.name,
          to: into.name,
          namespaces: copied.flatMap(({ namespace, rows }) =>
            namespace === ''
              ? []
              : [
                  {
                    namespace,
                    records: rows['record'] ?? 0,
                    passages: rows['passage'] ?? 0,
                    vectors: rows['embedding'] ?? 0,
                    audit_entries: rows['audit'] ?? 0,
                    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
                  },
                ],
          ),
        };
      } finally {
        await copy.close();
      }
    } finally {
      await source.close();
    }
  },
};

function settingsOf(place: string): StoreSettings {
  assertPath(place, 'to');
  return namesDatabase(place) ? { path: '', connectionString: place } : { path: resolve(expandHome(place)) };
}
