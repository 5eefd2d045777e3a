import type { Config } from '../../config/schema.ts';
import { countAllPending, NO_GENERATION } from '../../ingest/embed.ts';
import type { NamespaceStats } from '../../store/admin-model.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { embedderOf } from '../embedding/models.ts';
import { activeGeneration } from '../embedding/generations.ts';
import { modelChange, type ModelChange } from '../embedding/model-change.ts';
import { embeddingProcess, embeddingTimeLeft } from '../reading/embed-new.ts';
import { otherLanguageShare } from './other-languages.ts';

export interface Status {
  /** Where the store is, for people to read. */
  readonly location: string;
  readonly store: string;
  readonly namespace: string;
  /** On disk, journals included, of all namespaces; `null` unless the operator asks. */
  readonly bytes: number | null;
  readonly schemaVersion: number;
  /** The caller's namespace; `null` if it was never written to. */
  readonly ownStats: NamespaceStats | null;
  /** Number of other namespaces; `null` unless the operator asks. */
  readonly otherNamespaces: number | null;
  readonly generation: Generation | null;
  /** Contents with a vector of the active generation, and without. */
  readonly vectors: number;
  readonly pending: number;
  /** The model that the settings name, if searches do not use it; else `null`. */
  readonly change: ModelChange | null;
  /** The process that embeds now, in words; else `null`. */
  readonly embeddingProcess: string | null;
  /** See `embeddingTimeLeft`. */
  readonly embeddingTimeLeft: number | null;
  /** See `otherLanguageShare`. */
  readonly otherLanguages: number | null;
  readonly vaults: Config['vaults'];
}

export async function status(context: EngineContext): Promise<Status> {
  await expire(context);
  const { store, config, namespace } = context;
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const generation = activeGeneration(generations) ?? null;
  const embedder = await embedderOf(context).catch(() => null);
  const texts = (await store.vectors.pending(namespace, NO_GENERATION, { totals: true })).texts;
  const pending =
    generation === null ? 0 : (await store.vectors.pending(namespace, generation.id, { totals: true })).texts;
  return {
    otherLanguages: embedder === null ? null : await otherLanguageShare(context, embedder),
    location: store.capabilities.location,
    store: store.capabilities.name,
    namespace,
    ...(await statsOf(context)),
    generation,
    vectors: generation === null ? 0 : texts - pending,
    pending,
    change: embedder === null ? null : await modelChange(context, { embedder, generations, texts }),
    embeddingProcess: await embeddingProcess(context),
    embeddingTimeLeft: generation === null ? null : await embeddingTimeLeft(context, generation.id),
    vaults: config.vaults,
  };
}

async function statsOf({
  store,
  namespace,
  caller,
}: EngineContext): Promise<Pick<Status, 'bytes' | 'schemaVersion' | 'ownStats' | 'otherNamespaces'>> {
  const { bytes, schemaVersion, namespaces } = await store.admin.stats(ADMIN_NAMESPACE);
  const ownStats = namespaces.find((each) => each.namespace === namespace) ?? null;
  const others = namespaces.length - (ownStats === null ? 0 : 1);
  const isOperator = caller.trust === 'operator';
  return {
    bytes: isOperator ? bytes : null,
    schemaVersion,
    ownStats,
    otherNamespaces: isOperator ? others : null,
  };
}

/** The size of a store, all namespaces together, for its operator. */
export interface Totals {
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
