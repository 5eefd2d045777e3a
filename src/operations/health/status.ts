import { z } from 'zod';
import { ORIGINS, type Origin } from '../../core/types.ts';
import { CONDITIONS, type Condition } from '../../engine/sources/reports.ts';
import type { VaultState } from '../../engine/vaults/vault-states.ts';
import { isoTime } from '../shared/dates.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface StatusOutput {
  readonly home: string;
  readonly config_file: string;
  readonly store: {
    readonly path: string;
    readonly driver: string;
    readonly bytes: number;
    readonly schema_version: number;
  };
  readonly namespace: string;
  readonly records: number;
  readonly passages: number;
  readonly terms: number;
  readonly by_origin: Partial<Record<Origin, number>>;
  readonly by_source: Record<string, number>;
  readonly embedding: {
    readonly configured: string;
    readonly provider: string | null;
    readonly model: string | null;
    readonly dimensions: number | null;
    readonly vectors: number;
    readonly pending: number;
  };
  readonly vaults: {
    readonly name: string;
    readonly path: string;
    readonly enabled: boolean;
    readonly paused: boolean;
    readonly records: number;
    readonly last_read: string | null;
    readonly changes: VaultState['changes'];
    readonly skipped: number | null;
    readonly unreadable: string | null;
  }[];
  readonly strays: { readonly name: string; readonly records: number }[];
  readonly sources: {
    readonly id: string;
    readonly name: string;
    readonly condition: Condition;
    readonly documents: number;
    readonly last_refresh: string | null;
  }[];
  readonly other_namespaces: number | null;
}

const count = () => z.number().int().nonnegative();

export const status: Operation<Record<string, never>, StatusOutput> = {
  name: 'status',
  title: 'Show status',
  description: 'Tells what is remembered, from where, how it is embedded and where the store is.',
  input: z.strictObject({}),
  output: z.strictObject({
    home: z.string(),
    config_file: z.string(),
    store: z.strictObject({
      path: z.string(),
      driver: z.string(),
      bytes: count().describe('On the disk, journals included.'),
      schema_version: count(),
    }),
    namespace: z.string(),
    records: count(),
    passages: count(),
    terms: count().describe('Different words.'),
    by_origin: z.partialRecord(z.enum(ORIGINS), count()),
    by_source: z.record(z.string(), count()),
    embedding: z.strictObject({
      configured: z.string().describe('The provider of the settings.'),
      provider: z
        .string()
        .nullable()
        .describe('The provider of the vectors in use; null before any were made.'),
      model: z.string().nullable(),
      dimensions: count().nullable(),
      vectors: count(),
      pending: count().describe('Texts without a vector; `index` makes them.'),
    }),
    vaults: z.array(
      z.strictObject({
        name: z.string(),
        path: z.string(),
        enabled: z.boolean().describe('Off, it is neither read nor found.'),
        paused: z.boolean().describe('Whoever keeps vaults fresh leaves it alone.'),
        records: count(),
        last_read: z.iso.datetime().nullable().describe('When `index` last read it through.'),
        changes: z
          .strictObject({ added: count(), changed: count(), gone: count() })
          .nullable()
          .describe('Notes that differ since; null when it was never read or cannot be looked at.'),
        skipped: count()
          .nullable()
          .describe(
            'Files and folders that are left out, as far as a look at the folder tells; `doctor` names every problem. ' +
              'Null when it cannot be looked at.',
          ),
        unreadable: z.string().nullable().describe('Why its folder cannot be looked at now.'),
      }),
    ),
    strays: z
      .array(z.strictObject({ name: z.string(), records: count() }))
      .describe('Vaults that are not in the settings and have records: nothing refreshes them.'),
    sources: z
      .array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          condition: z.enum(CONDITIONS),
          documents: count(),
          last_refresh: z.iso.datetime().nullable(),
        }),
      )
      .describe('Commands that bring documents; `sources list` says more of each.'),
    other_namespaces: count()
      .nullable()
      .describe('Namespaces in the store beside this one; null for whoever is not to know.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'What is remembered, and where', input: {} }],
  run: runStatus,
};

async function runStatus(context: OperationContext): Promise<StatusOutput> {
  const config = await context.loadConfig();
  const loci = await context.loci();
  const { bytes, schemaVersion, own, others, generation, pending, storePath, store, namespace } =
    await loci.status();
  const { vaults, strays } = await loci.vaults();
  const reports = (await loci.sources.list()).filter(({ kind }) => kind !== 'vault');
  const bySource = own?.bySource ?? {};
  return {
    home: context.home,
    config_file: config.file,
    store: { path: storePath, driver: store, bytes, schema_version: schemaVersion },
    namespace,
    records: own?.records ?? 0,
    passages: own?.passages ?? 0,
    terms: own?.terms ?? 0,
    by_origin: { ...own?.byOrigin },
    by_source: { ...bySource },
    embedding: {
      configured: config.values.embedding.provider,
      provider: generation?.provider ?? null,
      model: generation?.model ?? null,
      dimensions: generation?.dimensions ?? null,
      vectors: own?.vectors ?? 0,
      pending,
    },
    vaults: vaults.map(({ lastRead, ...vault }) => ({
      ...vault,
      records: bySource[vault.name] ?? 0,
      last_read: lastRead === null ? null : isoTime(lastRead),
    })),
    strays: [...strays],
    sources: reports.map(({ id, name, condition, documents, state }) => {
      const readAt = state?.readAt ?? null;
      return { id, name, condition, documents, last_refresh: readAt === null ? null : isoTime(readAt) };
    }),
    other_namespaces: others,
  };
}
