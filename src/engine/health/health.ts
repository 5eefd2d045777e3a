import { openReranker } from '../../embed/rerank/registry.ts';
import { RERANKED } from '../../search/rerank.ts';
import { countAllPending, NO_GENERATION } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { formatAge } from '../../core/time/age.ts';
import type { Config } from '../../config/schema.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { LociError, messageOf } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { Timestamp } from '../../core/types.ts';
import type { NamespaceStats } from '../../store/admin-model.ts';
import type { Generation } from '../../store/search-model.ts';
import type { Check, Finding } from './check.ts';
import { checkConcepts } from './check-concepts.ts';
import { checkGraph } from './check-graph.ts';
import { checkNotes } from './check-notes.ts';
import { checkReceipts } from './check-receipts.ts';
import { checkSources } from './check-sources.ts';
import { checkPassages } from './check-passages.ts';
import type { EngineContext } from '../context.ts';
import { otherLanguageShare } from './other-languages.ts';
import { activeGeneration } from '../embedding/generations.ts';
import { modelChange, type ModelChange } from '../embedding/model-change.ts';
import { embeddingProcess } from '../vaults/embed-new.ts';
import { formatVaultChanges } from '../vaults/vault-changes.ts';
import { isEnabled, vaultsOfNamespace } from '../vaults/vault-names.ts';
import {
  type UnconfiguredVault,
  type VaultState,
  type VaultStates,
  vaultStates,
} from '../vaults/vault-states.ts';

export interface Status {
  readonly storePath: string;
  readonly store: string;
  readonly namespace: string;
  /** On disk, journals included. */
  readonly bytes: number;
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
  /** See `otherLanguageShare`. */
  readonly otherLanguages: number | null;
  readonly vaults: Config['vaults'];
}

export async function status(context: EngineContext): Promise<Status> {
  await context.expire();
  const { store, config, namespace } = context;
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const generation = activeGeneration(generations) ?? null;
  const embedder = await context.embedder().catch(() => null);
  const texts = await store.vectors.countPending(namespace, NO_GENERATION);
  const pending = generation === null ? 0 : await store.vectors.countPending(namespace, generation.id);
  return {
    otherLanguages: embedder === null ? null : await otherLanguageShare(context, embedder),
    storePath: config.store.path,
    store: store.capabilities.name,
    namespace,
    ...(await statsOf(context)),
    generation,
    vectors: generation === null ? 0 : texts - pending,
    pending,
    change: embedder === null ? null : await modelChange(context, { embedder, generations, texts }),
    embeddingProcess: await embeddingProcess(context),
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
  return {
    bytes,
    schemaVersion,
    ownStats,
    otherNamespaces: caller.trust === 'operator' ? others : null,
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

/** What each check looks at, as progress names it. */
const SUBJECTS = {
  store: 'the store',
  derived: 'the derived state',
  audit: 'the audit log',
  embedding: 'the embedding model',
  rerank: 'the reranker',
  graph: 'the graph',
  concepts: 'the concepts',
  receipts: 'the receipts',
} as const;

/** Checks an open store without changing it. @throws LociError `aborted` */
export async function doctor(context: EngineContext, options: ProgressOptions = {}): Promise<Check[]> {
  const runCheck = (
    name: keyof typeof SUBJECTS,
    hint: string,
    look: () => Promise<Finding>,
  ): Promise<Check> => {
    assertNotAborted(options);
    options.onProgress?.({ stage: 'checking', subject: SUBJECTS[name], done: 0, total: 0 });
    return resultOf(name, hint, look);
  };
  return [
    await runCheck('store', 'Restore a backup, or run `loci reindex`.', () => checkStore(context)),
    await runCheck('derived', 'Run `loci reindex`.', () => checkPassages(context, options)),
    await runCheck('audit', 'The store was changed without Loci: compare it with a backup.', () =>
      checkAudit(context),
    ),
    await runCheck('embedding', 'Run `loci embed test`.', () => checkEmbedding(context)),
    ...(context.config.rerank.provider === 'none'
      ? []
      : [
          await runCheck('rerank', 'Check `rerank` in loci.yaml: docs/providers.md.', () =>
            checkReranker(context),
          ),
        ]),
    await runCheck('graph', 'Run `loci reindex`.', () => checkGraph(context, options)),
    await runCheck('concepts', 'Run `loci reindex`.', () => checkConcepts(context, options)),
    await runCheck('receipts', 'Restore a backup. Searches, reads and writes do not need them.', () =>
      checkReceipts(context, options),
    ),
    ...(await checkVaults(context, options)),
    ...(await checkSources(context)),
  ];
}

/** Resolves when the store and the bundled model answer; a provider elsewhere may be down. @throws LociError when one of them fails */
export async function assertReady(context: EngineContext): Promise<void> {
  await context.store.vectors.generations(ADMIN_NAMESPACE);
  const embedder = await context.embedder();
  if (embedder?.isRemote !== true) await embedder?.embed(['loci'], { purpose: 'query' });
}

async function checkVaults(context: EngineContext, options: ProgressOptions): Promise<Check[]> {
  try {
    const states = vaultChecks(await vaultStates(context), context.now());
    const vaults = vaultsOfNamespace(context).filter(isEnabled);
    const notes: Check[] = [];
    for (const vault of vaults) notes.push(...(await checkNotes(context, vault, options)));
    return [...states, ...notes];
  } catch (error) {
    if (isAbort(error)) throw error;
    return [{ name: 'vaults', result: 'failed', detail: messageOf(error), hint: null }];
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof LociError && error.code === 'aborted';
}

async function resultOf(name: string, hint: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    const finding = await look();
    return { name, hint: finding.result === 'ok' ? null : hint, ...finding };
  } catch (error) {
    if (isAbort(error)) throw error;
    // The hint of `store_failed` is to run `loci doctor`, which is running.
    const errorHint = error instanceof LociError && error.code !== 'store_failed' ? error.hint : hint;
    return { name, result: 'failed', detail: messageOf(error), hint: errorHint };
  }
}

/** Checks the file and, if it is sound, every namespace. */
async function checkStore({ store, namespace: ours, caller }: EngineContext): Promise<Finding> {
  const fileFaults = await store.admin.verify(ADMIN_NAMESPACE);
  if (fileFaults.length > 0) return { result: 'failed', detail: [...new Set(fileFaults)].join('\n') };
  const faults = new Set<string>();
  for (const { namespace } of (await store.admin.stats(ADMIN_NAMESPACE)).namespaces) {
    // Only the operator may learn the names and contents of other namespaces.
    const mayKnow = namespace === ours || caller.trust === 'operator';
    for (const fault of await store.admin.verify(namespace))
      faults.add(mayKnow ? `${namespace}: ${fault}` : 'another namespace has a broken index');
  }
  if (faults.size === 0) return { result: 'ok', detail: 'the file and every index are intact' };
  return { result: 'failed', detail: [...faults].join('\n') };
}

/** Verifies the audit log of the caller's namespace; for the operator, those of all namespaces. */
async function checkAudit(context: EngineContext): Promise<Finding> {
  const { store, namespace: ours, caller } = context;
  const otherNamespaces = caller.trust === 'operator' ? await store.admin.namespaces(ADMIN_NAMESPACE) : [];
  const faults: string[] = [];
  let [entries, attached] = [0, 0];
  for (const namespace of new Set([ours, ...otherNamespaces])) {
    const namespaceFaults = await findFaults(context, namespace);
    faults.push(...namespaceFaults.map((fault) => (namespace === ours ? fault : `${namespace}: ${fault}`)));
    for (const { own, length } of await store.admin.auditChains(namespace)) {
      if (own) entries += length;
      else attached += length;
    }
  }
  if (faults.length > 0) return { result: 'failed', detail: faults.join('\n') };
  return {
    result: 'ok',
    detail:
      `${formatCount(entries, 'entry', 'entries')}, none missing or changed` +
      (attached === 0
        ? ''
        : `; ${formatCount(attached, 'entry', 'entries')} of imported logs kept for export`),
  };
}

async function findFaults({ store, now }: EngineContext, namespace: string): Promise<string[]> {
  const broken = await store.admin.verifyAudit(namespace);
  const chains = await store.admin.auditChains(namespace);
  if (chains.some(({ own }) => own)) return broken;
  // The first write of a namespace begins its log, so written records without a log mean that the log was removed.
  const written = { now: now(), origins: ['memory' as const, 'fact' as const] };
  const [count] = await store.records.count(namespace, [written]);
  if (count === 0) return broken;
  return [...broken, 'there are written records but no audit log'];
}

async function checkEmbedding(context: EngineContext): Promise<Finding> {
  const embedder = await context.embedder();
  if (embedder === null)
    return { result: 'ok', detail: 'provider none: searches use text, spelling and recency only' };
  const vectors = await context.vectors();
  // A provider that is too slow for a search is not down.
  await embedder.embed(['loci'], { purpose: 'query', patient: true });
  const share = await otherLanguageShare(context, embedder);
  const languages =
    share === null
      ? ''
      : `; it knows English, and ${percentage(share)} of the newest records are in other languages: they are found by words`;
  const model = `${embedder.provider} ${embedder.model} answers${languages}`;
  const pending =
    vectors === null ? 0 : await context.store.vectors.countPending(context.namespace, vectors.generation);
  if (pending === 0) return { result: 'ok', detail: model };
  return {
    result: 'warning',
    detail: `${model}; ${formatCount(pending, 'text')} without a vector, found by words alone`,
    hint: 'Run `loci index`. It names the texts that the provider refuses, which stay so.',
  };
}

/** Says what is sent where, and whether the reranker answers. It may quote the reranker, to which it sends no text of the store. */
async function checkReranker({ config }: EngineContext): Promise<Finding> {
  const reranker = await openReranker(config.rerank, { quotesProvider: true });
  if (reranker === null) return { result: 'ok', detail: 'none' };
  const { provider, model, origin, deadlineMs } = reranker;
  const sent = `every query, and the texts of its first ${String(RERANKED)} results, are sent to ${origin}`;
  const name = [provider, model].join(' ').trim();
  try {
    await reranker.rerank('loci', ['loci', 'something else']);
  } catch (error) {
    return { result: 'warning', detail: `${name}: ${messageOf(error)}; ${sent}` };
  } finally {
    await reranker.close();
  }
  return { result: 'ok', detail: `${name} answers within ${String(deadlineMs)} ms; ${sent}` };
}

function percentage(share: number): string {
  return `${String(Math.round(100 * share))}%`;
}

function vaultChecks({ vaults, unconfigured }: VaultStates, now: Timestamp): Check[] {
  return [...vaults.map((vault) => checkVault(vault, now)), ...unconfigured.map(checkUnconfigured)];
}

function checkVault(
  { name, path, enabled, paused, lastRead, changes, unreadable }: VaultState,
  now: Timestamp,
): Check {
  const check = { name: `vault ${name}`, result: 'warning' as const, hint: 'Run `loci index`.' };
  if (!enabled) return { ...check, result: 'ok', detail: `${path}; disabled`, hint: null };
  if (unreadable !== null)
    return {
      ...check,
      result: 'failed',
      detail: unreadable,
      hint: `Mount it or correct its path; \`loci forget-vault ${JSON.stringify(name)}\` removes its records.`,
    };
  const summary = changes === null ? '' : formatVaultChanges(changes);
  const isRead = lastRead !== null && changes !== null;
  const read = isRead ? `read ${formatAge(lastRead, now)}` : 'it was not read yet';
  const detail = `${path}; ${read}${summary === '' ? '' : `, since then ${summary}`}`;
  if (paused)
    return {
      ...check,
      result: 'ok',
      detail: `paused: ${detail}`,
      hint: `\`loci sources resume ${JSON.stringify(name)}\` resumes automatic refreshes; \`loci index\` reads it now.`,
    };
  if (!isRead || summary !== '') return { ...check, detail };
  return { ...check, result: 'ok', detail, hint: null };
}

function checkUnconfigured({ name, records }: UnconfiguredVault): Check {
  return {
    name: `vault ${name}`,
    result: 'warning',
    detail: `${formatCount(records, 'record')} of a vault that is not in the settings: they are found, and nothing refreshes them`,
    hint: `Put the vault back into loci.yaml with the name ${name}, or take its records out: loci forget-vault ${JSON.stringify(name)}`,
  };
}
