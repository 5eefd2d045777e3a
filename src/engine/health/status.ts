import { join } from 'node:path';
import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { CONFIG_FILE } from '../../config/load.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { ORIGINS } from '../../core/types.ts';
import { countAllPending, NO_GENERATION } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import {
  activeGeneration,
  generationFields,
  modelChange,
  modelChangeOutput,
} from '../embedding/generations.ts';
import { embedderOf } from '../embedding/models.ts';
import { isoTime } from '../fields/times.ts';
import { vaultName, vaultsOfNamespace } from '../reading/configured/vault-names.ts';
import { embeddingProcess, embeddingTimeLeft } from '../embedding/backfill.ts';
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
  other_namespaces: count()
    .nullable()
    .describe('Number of other namespaces in the store; null unless the operator asks.'),
});
export type StatusOutput = z.infer<typeof statusOutput>;

export type StoreStatus = Omit<
  StatusOutput,
  'home' | 'config_file' | 'settings_problem' | 'vaults' | 'unconfigured_vaults' | 'sources'
>;

/** What the store has of the caller's namespace. */
export async function storeStatus(context: EngineContext): Promise<StoreStatus> {
  await expire(context);
  const { store, config, namespace, caller } = context;
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations) ?? null;
  const embedder = await embedderOf(context).catch(() => null);
  const { texts } = await store.vectors.pending(namespace, NO_GENERATION, { totals: true });
  const pending =
    active === null ? 0 : (await store.vectors.pending(namespace, active.id, { totals: true })).texts;
  const left = active === null ? null : await embeddingTimeLeft(context, active.id);
  const { bytes, schemaVersion, namespaces } = await store.admin.stats(ADMIN_NAMESPACE);
  const own = namespaces.find((each) => each.namespace === namespace);
  const isOperator = caller.trust === 'operator';
  const embeddedBy = await embeddingProcess(context);
  return {
    store: {
      path: store.capabilities.location,
      driver: store.capabilities.name,
      bytes: isOperator ? bytes : null,
      schema_version: schemaVersion,
    },
    namespace,
    records: own?.records ?? 0,
    passages: own?.passages ?? 0,
    terms: own?.terms ?? 0,
    by_origin: { ...own?.byOrigin },
    by_source: { ...own?.bySource },
    embedding: {
      configured: config.embedding.provider,
      provider: active?.provider ?? null,
      model: active === null ? null : generationFields(active).model,
      dimensions: active?.dimensions ?? null,
      vectors: active === null ? 0 : texts - pending,
      pending,
      change: embedder === null ? null : await modelChange(context, { embedder, generations, texts }),
      running_in: embeddedBy,
      left_ms: left === null ? null : Math.round(left),
      other_languages: embedder === null ? null : await otherLanguageShare(context, embedder),
    },
    relations: await relations(context, embeddedBy),
    other_namespaces: isOperator ? namespaces.length - (own === undefined ? 0 : 1) : null,
  };
}

/** What relates records does it after it has read and embedded them. */
async function relations(
  context: EngineContext,
  embeddedBy: string | null,
): Promise<StatusOutput['relations']> {
  const { records, share, process } = await context.updateRelations({ maxRecords: -1 });
  const running_in = process ?? embeddedBy ?? (records === 0 ? null : await readingProcess(context));
  return { unrelated: records, share: Math.round(100 * share) / 100, running_in };
}

/** The process that reads a vault, if there is one. */
async function readingProcess(context: EngineContext): Promise<string | null> {
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
  const { other_namespaces, ...ofStore } = await storeStatus(context);
  const vaults = await vaultStates(context, configured);
  const names = new Set(vaults.map(({ name }) => name));
  const reports = await sourceReports(context);
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

/** The size of a store, all namespaces together, for its operator. */
interface Totals {
  /** On disk, journals included. */
  readonly bytes: number;
  readonly records: number;
  readonly passages: number;
  readonly vectors: number;
  /** Contents without a vector of the active generation. */
  readonly pending: number;
}

export async function totals({ store }: EngineContext): Promise<Totals> {
  const generation = activeGeneration(await store.vectors.generations(ADMIN_NAMESPACE));
  const { bytes, namespaces } = await store.admin.stats(ADMIN_NAMESPACE);
  const sum = (count: 'records' | 'passages' | 'vectors'): number =>
    namespaces.reduce((total, namespace) => total + namespace[count], 0);
  return {
    bytes,
    records: sum('records'),
    passages: sum('passages'),
    vectors: sum('vectors'),
    pending: generation === undefined ? 0 : await countAllPending(store, generation.id),
  };
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
});
export type NamespacesOutput = z.infer<typeof namespacesOutput>;

/** The namespaces that have a record, and that of the settings. */
export async function listNamespaces({ store, config, now }: EngineContext): Promise<NamespacesOutput> {
  const named = await store.admin.namespaces(ADMIN_NAMESPACE);
  const others = named.filter((name) => name !== config.namespace).sort();
  const namespaces = [config.namespace, ...others].map(async (namespace) => ({
    namespace,
    records: await store.records.count(namespace, { now: now() }),
    configured: namespace === config.namespace,
  }));
  return { namespaces: await Promise.all(namespaces) };
}
