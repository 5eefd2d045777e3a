import { join } from 'node:path';
import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { CONFIG_FILE } from '../../config/load.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { ORIGINS } from '../../core/types.ts';
import type { StoreTotals } from '../../store/admin-model.ts';
import { sourceStates } from '../../store/items/kinds.ts';
import { ADMIN_NAMESPACE, NAMESPACE_REMOVAL, removedNamespace } from '../../store/rules/admin-namespace.ts';
import type { EngineContext, Unrelated } from '../context.ts';
import {
  activeGeneration,
  generationFields,
  modelChange,
  modelChangeOutput,
} from '../embedding/generations.ts';
import { embedderOf } from '../embedding/models.ts';
import { isoTime } from '../fields/times.ts';
import { vaultName, vaultsOfNamespace } from '../reading/configured/vault-names.ts';
import { formatQuota, quotaOutput } from '../access/quotas.ts';
import { runningEmbedding } from '../embedding/backfill.ts';
import { leaseName } from '../reading/refresh/refresh.ts';
import { CONDITIONS, isUnconfigured, sourceReports } from '../reading/reports.ts';
import { vaultOutput, vaultStates } from '../reading/vault-states.ts';
import { leaseProcess } from '../shared/lease.ts';
import { expire } from '../shared/retention.ts';
import { fold } from '../../core/text/analyze.ts';
import { languagesOf } from '../../core/text/language/language.ts';
import type { Embedder } from '../../embed/embedder.ts';

export const statusOutput = z.strictObject({
  home: z.string(),
  config_file: z.string(),
  settings_problem: z
    .string()
    .nullable()
    .describe(
      'Why what `config_file` says now is not in force in this process, or not all of it; null if it is.',
    ),
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
    change: modelChangeOutput
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
  relations: z
    .strictObject({
      unrelated: count().describe('Records that are not related to the others yet, or not as they are now.'),
      share: z.number().min(0).max(1).describe('The share of the work that is done.'),
      running_in: z
        .string()
        .nullable()
        .describe('The process that relates them: `process 4711`; null when none does.'),
    })
    .describe('The graph, and the notes to which documents of sources belong. Search works without them.'),
  vaults: z.array(vaultOutput),
  unconfigured_vaults: z
    .array(
      z.strictObject({
        name: z.string(),
        records: count(),
        settings: z.string().nullable().describe('The other settings that had it when it was last read.'),
      }),
    )
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
  quota: quotaOutput.describe('What this memory has of what the operator lets it have.'),
  other_namespaces: count()
    .nullable()
    .describe('Number of other namespaces in the store; null unless the operator asks.'),
});
export type StatusOutput = z.infer<typeof statusOutput>;

export type StoreStatus = Omit<
  StatusOutput,
  'home' | 'config_file' | 'settings_problem' | 'vaults' | 'unconfigured_vaults' | 'sources'
>;

/** What the store has of the caller's namespace. Its parts are read at once, because a server may be far away. */
export async function storeStatus(context: EngineContext): Promise<StoreStatus> {
  await expire(context);
  const { store, config, namespace, caller } = context;
  const [generations, embedder, stats, quota, size, embedding, unrelated] = await Promise.all([
    store.vectors.generations(ADMIN_NAMESPACE),
    embedderOf(context).catch(() => null),
    store.admin.stats(namespace),
    store.admin.quota(namespace),
    store.admin.size(ADMIN_NAMESPACE, namespace),
    runningEmbedding(context),
    context.updateRelations({ maxRecords: -1 }),
  ]);
  const active = activeGeneration(generations) ?? null;
  const vectors = active === null ? 0 : (stats.embedded.get(active.id) ?? 0);
  const isOperator = caller.trust === 'operator';
  const { texts, records, passages, terms } = stats;
  return {
    store: {
      path: store.capabilities.location,
      driver: store.capabilities.name,
      bytes: isOperator ? size.bytes : null,
      schema_version: size.schemaVersion,
    },
    namespace,
    ...{ records, passages, terms },
    by_origin: { ...stats.byOrigin },
    by_source: { ...stats.bySource },
    embedding: {
      configured: config.embedding.provider,
      provider: active?.provider ?? null,
      model: active === null ? null : generationFields(active).model,
      dimensions: active?.dimensions ?? null,
      vectors,
      pending: active === null ? 0 : texts - vectors,
      change: embedder === null ? null : modelChange({ embedder, generations, stats }),
      running_in: embedding.process,
      left_ms: embedding.leftMs === null ? null : Math.round(embedding.leftMs),
      other_languages: embedder === null ? null : await otherLanguageShare(context, embedder),
    },
    relations: {
      unrelated: unrelated.records,
      share: Math.round(100 * unrelated.share) / 100,
      running_in: unrelated.process ?? embedding.process ?? (await readingProcess(context, unrelated)),
    },
    quota: formatQuota(quota),
    other_namespaces: isOperator ? size.otherNamespaces : null,
  };
}

/** The process that reads a vault, whose records are related afterwards. */
async function readingProcess(context: EngineContext, { records }: Unrelated): Promise<string | null> {
  if (records === 0) return null;
  for (const vault of vaultsOfNamespace(context)) {
    const process = await leaseProcess(context, leaseName(context, vaultName(vault)));
    if (process !== null) return process;
  }
  return null;
}

/**
 * The state of the store, of vaults and of sources.
 * @param home of the settings
 * @param configured the vaults, if they are not those of the settings
 */
export async function status(
  context: EngineContext,
  home: string,
  configured?: readonly VaultConfig[],
): Promise<StatusOutput> {
  const states = sourceStates(context.store.records, context.namespace);
  const [{ other_namespaces, ...ofStore }, vaults, reports] = await Promise.all([
    storeStatus(context),
    vaultStates(context, configured, states),
    sourceReports(context, states),
  ]);
  const names = new Set(vaults.map(({ name }) => name));
  return {
    home,
    config_file: join(home, CONFIG_FILE),
    settings_problem: context.settingsProblem,
    ...ofStore,
    vaults: vaults.map(({ last_read, ...vault }) => ({
      ...vault,
      records: ofStore.by_source[vault.name] ?? 0,
      last_read,
    })),
    unconfigured_vaults: reports
      .filter(({ id, kind, condition }) => kind === 'vault' && isUnconfigured(condition) && !names.has(id))
      .map(({ id, documents, settings }) => ({ name: id, records: documents, settings })),
    sources: reports
      .filter(({ kind }) => kind !== 'vault')
      .map(({ id, name, condition, documents, state }) => {
        const readAt = state?.readAt ?? null;
        return { id, name, condition, documents, last_refresh: readAt === null ? null : isoTime(readAt) };
      }),
    other_namespaces,
  };
}

/** The size of the store, all namespaces together, for its operator. */
export function totals({ store }: EngineContext): Promise<StoreTotals> {
  return store.admin.totals(ADMIN_NAMESPACE);
}

/** The newest records that are looked at, and the UTF-16 code units of each. */
const SAMPLE = 100;
const MAX_LENGTH = 500;
/** A text with fewer words, such as a list of names, has no recognisable language. */
const MIN_WORDS = 12;
/** A smaller share is not worth a message. */
const MIN_SHARE = 0.1;

/**
 * The share of the newest records that are in other languages than the embedding model's, from `MIN_SHARE` to 1; `null` if it
 * is smaller, or if the model knows many languages.
 */
export async function otherLanguageShare(
  { store, namespace, now }: EngineContext,
  embedder: Embedder,
): Promise<number | null> {
  if (embedder.language !== 'en') return null;
  const newest = await store.records.list(
    namespace,
    { filter: { now: now() } },
    { after: null, limit: SAMPLE },
  );
  const languages = newest.flatMap(({ content }) => isEnglish(content.slice(0, MAX_LENGTH), embedder) ?? []);
  if (languages.length === 0) return null;
  const share = languages.filter((english) => !english).length / languages.length;
  return share < MIN_SHARE ? null : share;
}

/** `null` for a text without a recognisable language. */
function isEnglish(text: string, embedder: Embedder): boolean | null {
  if ((embedder.modelCoverage?.(text) ?? 1) < 0.5) return false;
  const words = (text.match(/\p{L}+/gu) ?? []).map(fold);
  if (words.length < MIN_WORDS) return null;
  const languages = languagesOf(words);
  return languages.length > 1 ? null : languages[0] === 'en';
}

export const namespacesOutput = z.strictObject({
  namespaces: z
    .array(
      z.strictObject({
        namespace: z.string(),
        records: count().describe('Records, notes and documents that are found.'),
        configured: z.boolean().describe('Whether it is the namespace of the settings.'),
      }),
    )
    .describe('That of the settings, then the others by name.'),
  deleted: z
    .array(z.strictObject({ namespace: z.string(), deleted_at: z.iso.datetime(), by: z.string() }))
    .describe(
      'The namespaces that were deleted last, newest first: at most 100. One may have been made again.',
    ),
});
export type NamespacesOutput = z.infer<typeof namespacesOutput>;

const MAX_DELETED = 100;

/** The namespaces that have a record, and that of the settings; and those that were deleted. */
export async function listNamespaces({ store, config, now }: EngineContext): Promise<NamespacesOutput> {
  const log = { action: NAMESPACE_REMOVAL, after: null, limit: MAX_DELETED };
  const [stored, { entries }] = await Promise.all([
    store.admin.recordCounts(ADMIN_NAMESPACE, now()),
    store.admin.audit(ADMIN_NAMESPACE, { log }),
  ]);
  const own = stored.find(({ namespace }) => namespace === config.namespace);
  const others = stored.filter((each) => each !== own);
  return {
    namespaces: [
      { namespace: config.namespace, records: own?.records ?? 0, configured: true },
      ...others.map((each) => ({ ...each, configured: false })),
    ],
    deleted: entries.map(({ subject, at, actor }) => ({
      namespace: removedNamespace(subject),
      deleted_at: isoTime(at),
      by: actor,
    })),
  };
}
