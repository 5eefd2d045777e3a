import type { VaultConfig } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import { countAllPending } from '../../ingest/embed.ts';
import { cutOrReport } from '../../ingest/passages.ts';
import type { SyncReport } from '../../ingest/sync.ts';
import type { SourceProblem } from '../../sources/source.ts';
import type { ChunkedRecord } from '../../store/model.ts';
import type { EngineContext, Unrelated } from '../context.ts';
import { chunkingOf, vectorsToFill } from '../embedding/models.ts';
import { NO_REFUSALS, type RefusalReport } from '../embedding/refusal-report.ts';
import { asProblem, type Problem } from '../fields/record-fields.ts';
import { embeddingProcess } from '../embedding/backfill.ts';
import { embedNew } from './embed-new.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { type IndexOptions, refreshVault } from './refresh/refresh-vault.ts';
import { assertVaultNamesAreFree, isEnabled, vaultName } from './configured/vault-names.ts';

export interface IndexReport extends RefusalReport {
  readonly sources: readonly SyncReport[];
  /** Records whose passages could not be derived again after a change of chunking or an interrupted reindex. They stay as they were. */
  readonly problems: Problem[];
  /** Contents that were embedded by this call. */
  readonly embedded: number;
  /** Contents of all namespaces that have no vector yet, if this call left them to others; else 0. */
  readonly pending: number;
  /** The process that embeds them now, in words. */
  readonly embeddedBy: string | null;
  /** The records that this call left to another process to relate to the others. */
  readonly unrelated: Unrelated;
}

/** Some vaults could not be read; `report` has the results of the others. */
export class IncompleteIndexError extends LociError {
  readonly report: IndexReport;

  constructor(unreadable: readonly [LociError, ...LociError[]], report: IndexReport) {
    const hints = new Set(unreadable.map(({ hint }) => hint));
    super('unreadable', unreadable.map(({ message }) => message).join('\n'), {
      hint: [...hints].join('\n'),
      cause: unreadable[0],
    });
    this.report = report;
  }
}

interface IndexVaultsOptions extends IndexOptions {
  readonly vaults?: readonly VaultConfig[];
  /** The names of those that are known to have moved to another folder. */
  readonly moved?: readonly string[];
}

/**
 * Updates the configured vaults, or others that are given, then embeds contents without a vector. A vault that cannot be read does not affect the others. Notes are found by
 * text as soon as their batch is stored. A call that was interrupted is continued by the next one.
 * @throws LociError `invalid_config` for a name that belongs to another folder, before anything is read; `unreadable`, `aborted`,
 *   `embedding_unavailable`. Unreadable vaults are an `IncompleteIndexError`, thrown after the others have
 *   been read.
 */
export async function indexVaults(
  context: EngineContext,
  { vaults = context.config.vaults.filter(isEnabled), moved = [], ...options }: IndexVaultsOptions = {},
): Promise<IndexReport> {
  const unmoved = vaults.filter((vault) => !moved.includes(vaultName(vault)));
  await assertVaultNamesAreFree(context, unmoved);
  const { problems } = await deriveStale(context, options);
  const sources: SyncReport[] = [];
  const unreadable: LociError[] = [];
  for (const vault of vaults) {
    try {
      sources.push(await refreshVault(context, vault, { ...options, wait: options.wait ?? true }));
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      unreadable.push(error);
    }
  }
  const embedding =
    options.embed === false
      ? { embedded: 0, embeddedBy: await embeddingProcess(context), ...NO_REFUSALS }
      : await embedNew(context, options);
  const isComplete = options.embed !== false && embedding.embeddedBy === null;
  // It needs the vectors, so that the process that embeds does it.
  const relations = isComplete ? options.relations : { maxRecords: 0 };
  const unrelated = await context.updateRelations({ ...options, ...relations });
  const pending = isComplete ? 0 : await countPending(context);
  const report = { sources, problems, pending, unrelated, ...embedding };
  const [first, ...others] = unreadable;
  if (first !== undefined) throw new IncompleteIndexError([first, ...others], report);
  return report;
}

async function countPending(context: EngineContext): Promise<number> {
  // The first model that is to embed becomes the model of the store.
  const vectors = await vectorsToFill(context);
  return vectors === null ? 0 : countAllPending(context.store, vectors.generation);
}

interface Derived {
  /** Records whose passages were derived with the current chunking. */
  readonly records: number;
  /** Records whose text is too large. They stay as they were. */
  readonly problems: Problem[];
}

const PAGE_SIZE = 64;

/** Derives the passages of records that have none of the current chunking, after a change of it or an interrupted reindex. */
export async function deriveStale(context: EngineContext, options: ProgressOptions): Promise<Derived> {
  const { store, namespace } = context;
  const chunking = await chunkingOf(context);
  const problems: Problem[] = [];
  const report = (problem: SourceProblem): void => void problems.push(asProblem(problem));
  let after: number | null = null;
  let done = 0;
  for (;;) {
    assertNotAborted(options);
    const records = await store.records.list(
      namespace,
      { scan: 'stale', chunking: chunking.signature },
      { after, limit: PAGE_SIZE },
    );
    const last = records.at(-1);
    if (last === undefined) return { records: done - problems.length, problems };
    const passages = new Map<number, ChunkedRecord>();
    for (const record of records) {
      const cut = await cutOrReport(chunking, record, recordName(record), report, options.signal);
      const { origin, project, title, tags, metadata, contentHash } = record;
      const state = { origin, project, title, tags, metadata, contentHash };
      if (cut !== null) passages.set(record.id, { state, passages: cut });
    }
    await store.records.commit(namespace, { chunked: passages, chunking: chunking.signature });
    after = last.id;
    done += records.length;
    options.onProgress?.({ stage: 'deriving', subject: namespace, done, total: 0 });
  }
}

export function recordName({ id, key }: LociRecord): string {
  return key ?? `record/${String(id)}`;
}
