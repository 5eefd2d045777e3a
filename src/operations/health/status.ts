import { z } from 'zod';
import { ORIGINS } from '../../core/types.ts';
import type { ModelChange } from '../../engine/embedding/model-change.ts';
import { CONDITIONS } from '../../engine/reading/reports.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { generation, generationFields } from '../../engine/embedding/generations.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { status } from '../../engine/health/status.ts';
import { vaultStates } from '../../engine/reading/vault-states.ts';
import { sourcesOf } from '../../engine/reading/sources.ts';

const count = () => z.number().int().nonnegative();

const input = z.strictObject({});
const output = z.strictObject({
  home: z.string(),
  config_file: z.string(),
  store: z.strictObject({
    path: z.string(),
    driver: z.string(),
    bytes: count().nullable().describe('On disk, journals included; null unless the operator asks.'),
    schema_version: count(),
  }),
  namespace: z.string(),
  records: count(),
  passages: count(),
  terms: count().describe('Distinct words.'),
  by_origin: z.partialRecord(z.enum(ORIGINS), count()),
  by_source: z.record(z.string(), count()),
  embedding: z.strictObject({
    configured: z.string().describe('The provider in the settings.'),
    provider: z
      .string()
      .nullable()
      .describe('The provider of the vectors that searches use; null before anything was embedded.'),
    model: z.string().nullable(),
    dimensions: count().nullable(),
    vectors: count().describe('Texts with such a vector.'),
    pending: count().describe('Texts without one. `index` embeds them, unless `change` is set.'),
    change: z
      .strictObject({
        from: generation.describe('The model whose vectors searches use.'),
        to: generation.describe('The model in the settings.'),
        texts: count(),
        embedded: count().describe('Those of them that have a vector of it.'),
        next: z
          .enum(['loci embed backfill', 'loci embed switch'])
          .describe(
            'The next command. Writes fail until the switch, and before the backfill searches do too.',
          ),
      })
      .nullable()
      .describe('The change to the model in the settings; null when searches use it.'),
    running_in: z
      .string()
      .nullable()
      .describe('The process that embeds now: `process 4711`; null when none does.'),
    left_ms: count()
      .nullable()
      .describe('How long that process will take, from its speed so far; null if that is not known.'),
    other_languages: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'Share of the newest records in languages that the model does not know; null when it is below 0.1. They are found by words.',
      ),
  }),
  vaults: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      enabled: z.boolean().describe('When false, it is neither read nor searched.'),
      paused: z.boolean().describe('When true, it is not refreshed automatically.'),
      records: count(),
      last_read: z.iso.datetime().nullable().describe('When `index` last read all of it.'),
      changes: z
        .strictObject({ added: count(), changed: count(), gone: count() })
        .nullable()
        .describe('Notes that changed since; null when it was never read or cannot be read.'),
      skipped: count()
        .nullable()
        .describe(
          'Files and folders that are left out, without reading them; `doctor` reports every problem. ' +
            'Null when the folder cannot be read.',
        ),
      unreadable: z.string().nullable().describe('Why its folder cannot be read now.'),
    }),
  ),
  unconfigured_vaults: z
    .array(z.strictObject({ name: z.string(), records: count() }))
    .describe('Vaults that have records but are not in the settings. Nothing refreshes them.'),
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
    .describe('Sources other than vaults; `sources list` shows more of each.'),
  other_namespaces: count()
    .nullable()
    .describe('Number of other namespaces in the store; null unless the operator asks.'),
});
export type StatusOutput = z.infer<typeof output>;

export const statusOperation: Operation<typeof input, typeof output> = {
  name: 'status',
  title: 'Show status',
  description:
    'Shows how many records there are, where they come from, how they are embedded and where the store is.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'The status', input: {} }],
  run: runStatus,
};

async function runStatus(context: OperationContext): Promise<StatusOutput> {
  const config = await context.loadConfig();
  const loci = await context.loci();
  const {
    bytes,
    schemaVersion,
    ownStats,
    otherNamespaces,
    generation: active,
    vectors,
    pending,
    change,
    embeddingProcess,
    embeddingTimeLeft,
    otherLanguages,
    location,
    store,
    namespace,
  } = await status(loci);
  const { vaults, unconfigured } = await vaultStates(loci, context.vaults);
  const reports = (await sourcesOf(loci).list()).filter(({ kind }) => kind !== 'vault');
  const bySource = ownStats?.bySource ?? {};
  return {
    home: context.home,
    config_file: config.file,
    store: { path: location, driver: store, bytes, schema_version: schemaVersion },
    namespace,
    records: ownStats?.records ?? 0,
    passages: ownStats?.passages ?? 0,
    terms: ownStats?.terms ?? 0,
    by_origin: { ...ownStats?.byOrigin },
    by_source: { ...bySource },
    embedding: {
      configured: config.values.embedding.provider,
      provider: active?.provider ?? null,
      model: active === null ? null : generationFields(active).model,
      dimensions: active?.dimensions ?? null,
      vectors,
      pending,
      change: changeFields(change),
      running_in: embeddingProcess,
      left_ms: embeddingTimeLeft === null ? null : Math.round(embeddingTimeLeft),
      other_languages: otherLanguages,
    },
    vaults: vaults.map(({ lastRead, ...vault }) => ({
      ...vault,
      records: bySource[vault.name] ?? 0,
      last_read: lastRead === null ? null : isoTime(lastRead),
    })),
    unconfigured_vaults: [...unconfigured],
    sources: reports.map(({ id, name, condition, documents, state }) => {
      const readAt = state?.readAt ?? null;
      return { id, name, condition, documents, last_refresh: readAt === null ? null : isoTime(readAt) };
    }),
    other_namespaces: otherNamespaces,
  };
}

function changeFields(change: ModelChange | null): StatusOutput['embedding']['change'] {
  if (change === null) return null;
  const { from, to, texts, embedded, next } = change;
  return {
    ...{ from: generationFields(from), to: generationFields(to), texts, embedded },
    next: next === 'backfill' ? 'loci embed backfill' : 'loci embed switch',
  };
}
