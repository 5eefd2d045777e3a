import { isDeepStrictEqual } from 'node:util';
import { formatCount } from '../../core/text/format-count.ts';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { LociRecord, Passage } from '../../core/types.ts';
import { cutOrReport, type Chunking } from '../../ingest/passages.ts';
import type { SourceProblem } from '../../sources/source.ts';
import type { Page } from '../../store/model.ts';
import type { Finding } from './check.ts';
import { nameRecords } from './check-graph.ts';
import type { EngineContext } from '../context.ts';
import { chunkingOf, embedderOf } from '../embedding/models.ts';
import { recordName } from '../reading/index-vaults.ts';

const PAGE_SIZE = 200;
/** Of the records whose passages are loaded at once. */
const MAX_COMPARED_CHARACTERS = 500_000;

/** Names of records with other passages than chunking gives. */
interface Differences {
  /** Made with the current chunking, so the index is broken. */
  readonly broken: string[];
  /** Made with another chunking, such as before a change of the provider. `index` rebuilds them. */
  readonly stale: string[];
  /** The records of `stale` without passages, which searches do not find, after a reindex that was interrupted. */
  readonly missing: string[];
  /** Records whose text is too complex to chunk. They keep their passages. */
  readonly uncut: SourceProblem[];
}

/** Its tokens limit passages. The check of the embedding model says what is wrong with the settings. */
const NOT_COMPARED: Finding = {
  result: 'warning',
  detail: 'not compared with the records, because the settings of the embedding model are not complete',
  hint: 'Correct `embedding` first: see the check of it below.',
};

function isInvalidConfig(error: unknown): boolean {
  if (error instanceof LociError && error.code === 'invalid_config') return true;
  throw error;
}

/** Chunks every record and compares the passages with the stored ones. @throws LociError `aborted` */
export async function checkPassages(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const { store, namespace } = context;
  const { onProgress } = options;
  if (await embedderOf(context).then(() => false, isInvalidConfig)) return NOT_COMPARED;
  const chunking = await chunkingOf(context);
  const differences: Differences = { broken: [], stale: [], missing: [], uncut: [] };
  let count = 0;
  const { records: total } = await context.store.admin.stats(context.namespace);
  const onCompared = (): void => {
    onProgress?.({ stage: 'checking', subject: 'passages', done: ++count, total });
  };
  let after: number | null = null;
  for (;;) {
    const page = { after, limit: PAGE_SIZE };
    const records = await store.records.list(namespace, { scan: 'undeleted' }, page);
    const last = records.at(-1);
    if (last === undefined) break;
    await compare(context, chunking, page, records, differences, { ...options, onCompared });
    after = last.id;
  }
  const { broken, stale, missing, uncut } = differences;
  if (broken.length > 0) return { result: 'failed', detail: `passages differ in ${nameRecords(broken)}` };
  if (stale.length === 0 && uncut.length > 0) {
    const detail = `too complex to split into passages: ${nameRecords(uncut.map(({ key }) => key))}`;
    return {
      result: 'warning',
      detail,
      hint: 'Shorten them at their source, then run `loci index`.',
    };
  }
  if (stale.length === 0)
    return { result: 'ok', detail: `${formatCount(count, 'record')}, all passages correct` };
  return {
    result: missing.length > 0 ? 'failed' : 'warning',
    detail: `passages need to be rebuilt in ${nameRecords(stale)}`,
    hint: 'Run `loci index`.',
  };
}

/** @param page the page that gave `records`; the stale records of the same page include all stale ones of `records` */
async function compare(
  { store, namespace }: EngineContext,
  chunking: Chunking,
  page: Page<number>,
  records: readonly LociRecord[],
  { broken, stale, missing, uncut }: Differences,
  { onCompared, ...options }: ProgressOptions & { readonly onCompared: () => void },
): Promise<void> {
  const staleIds = new Set(
    (await store.records.list(namespace, { scan: 'stale', chunking: chunking.signature }, page)).map(
      ({ id }) => id,
    ),
  );
  let storedPassages: ReadonlyMap<number, readonly Passage[]> = new Map();
  for (const [i, record] of records.entries()) {
    assertNotAborted(options);
    // The passages of a page of long records would take hundreds of megabytes.
    if (!storedPassages.has(record.id))
      storedPassages = await store.records.passagesOf(namespace, firstIds(records.slice(i)));
    const passages = storedPassages.get(record.id) ?? [];
    const name = recordName(record);
    const report = (problem: SourceProblem): void => void uncut.push(problem);
    const cut = await cutOrReport(chunking, record, name, report, options.signal);
    onCompared();
    if (cut === null || isDeepStrictEqual(passages, cut)) continue;
    (staleIds.has(record.id) ? stale : broken).push(name);
    if (staleIds.has(record.id) && passages.length === 0) missing.push(name);
  }
}

/** The ids of the first records, as many as have `MAX_COMPARED_CHARACTERS`, but at least one. */
function firstIds(records: readonly LociRecord[]): number[] {
  let characters = 0;
  const end = records.findIndex(({ content }, i) => {
    characters += content.length;
    return i > 0 && characters > MAX_COMPARED_CHARACTERS;
  });
  return records.slice(0, end === -1 ? undefined : end).map(({ id }) => id);
}
