import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { configSchema } from '../src/config/schema.ts';
import { LociError } from '../src/core/errors.ts';
import { openEngine } from '../src/engine/open.ts';
import type { Receipt, ReceiptCandidate, ReceiptPiece } from '../src/pack/receipt.ts';
import { mean } from './metrics.ts';
import type { EngineContext } from '../src/engine/context.ts';
import { importMemory } from '../src/engine/portable/import.ts';
import { memoryPack } from '../src/engine/packs/memory-pack.ts';
import { search } from '../src/engine/records/search.ts';
import { get } from '../src/engine/records/get.ts';
import { readReceipts } from '../src/engine/packs/receipts.ts';
import { verifyReceipt } from '../src/engine/packs/verify-receipt.ts';

/** How the present ranking does on the marks of an operator. Shares are from 0 to 1; `null` where nothing could be counted. */
interface MarkScores {
  readonly marks: number;
  /** Marks that cannot be used, because the query is known only by its hash. */
  readonly withoutQuery: number;
  readonly queries: number;
  /** The marked records in the packs that are useful. */
  readonly precision: number | null;
  /** The useful records that are in the packs. */
  readonly recall: number | null;
  /** The pairs of a useful record and one that is not, of one query, in which the search ranks the useful one first. */
  readonly order: number | null;
  /** The bytes that packs took from records that `receipt verify` finds there again. Must be 1. */
  readonly provenance: number | null;
  /** Tokens of the packs as a share of the budget: on average, and at most. */
  readonly meanSize: number | null;
  readonly maxSize: number | null;
}

interface MarkOptions {
  readonly provider: string;
  /** Tokens of each pack. */
  readonly budget?: number;
}

const DEFAULT_BUDGET = 2000;
const RANKED = 100;
const PAGE = 500;

/**
 * Scores the marks in a store, or in an export of one. Works on a copy, so that the operator's store does not change.
 * @throws LociError the errors of opening and importing
 */
export async function scoreMarks(path: string, options: MarkOptions): Promise<MarkScores> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-marks-'));
  const copy = join(folder, 'store.db');
  const isStore = await isDatabase(path);
  if (isStore) await copyStore(path, copy);
  const embedding = { provider: options.provider };
  const loci = await openEngine(configSchema.parse({ store: { path: copy }, embedding, skills: [] }));
  try {
    if (!isStore) await importExport(loci, path, folder);
    const names = isStore ? markedNamespaces(copy) : [loci.caller.namespace];
    return await scoreNamespaces(loci, names, options.budget ?? DEFAULT_BUDGET);
  } finally {
    await loci.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const SQLITE_HEADER = 'SQLite format 3\0';

async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    throw new LociError('unreadable', `--marks: ${path} cannot be read`, { cause: error });
  });
  try {
    const { buffer } = await file.read(Buffer.alloc(SQLITE_HEADER.length), 0, SQLITE_HEADER.length, 0);
    return buffer.toString('latin1') === SQLITE_HEADER;
  } finally {
    await file.close();
  }
}

async function copyStore(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, to);
}

/** @param path a store of the current schema */
function markedNamespaces(path: string): string[] {
  using store = new DatabaseSync(path, { readOnly: true });
  const rows = store.prepare(
    `SELECT name FROM namespace WHERE id IN (SELECT ns FROM item WHERE kind = 'receipt' AND body LIKE '%"verdict":"%') ORDER BY name`,
  );
  return rows.all().map(({ name }) => String(name));
}

async function importExport(loci: EngineContext, path: string, folder: string): Promise<void> {
  // An import reads names of files that end in .jsonl.
  const file = join(folder, 'export.jsonl');
  await copyFile(resolve(path), file);
  const report = await importMemory(loci, { path: file });
  const [problem] = report.problems;
  if (problem !== undefined)
    throw new LociError('invalid_input', `--marks: ${problem.location}: ${problem.message}`);
}

interface Counts {
  marks: number;
  withoutQuery: number;
  queries: number;
  useful: number;
  shownUseful: number;
  shownUseless: number;
  pairs: number;
  ordered: number;
  bytes: number;
  foundBytes: number;
  readonly sizes: number[];
}

async function scoreNamespaces(
  loci: EngineContext,
  names: readonly string[],
  budget: number,
): Promise<MarkScores> {
  const counts: Counts = {
    ...{ marks: 0, withoutQuery: 0, queries: 0, useful: 0, shownUseful: 0, shownUseless: 0 },
    ...{ pairs: 0, ordered: 0, bytes: 0, foundBytes: 0, sizes: [] },
  };
  for (const namespace of names) await scoreNamespace(loci.as({ ...loci.caller, namespace }), budget, counts);
  const { shownUseful, shownUseless, useful, ordered, pairs, foundBytes, bytes, sizes } = counts;
  return {
    marks: counts.marks,
    withoutQuery: counts.withoutQuery,
    queries: counts.queries,
    precision: share(shownUseful, shownUseful + shownUseless),
    recall: share(shownUseful, useful),
    order: share(ordered, pairs),
    provenance: share(foundBytes, bytes),
    meanSize: sizes.length === 0 ? null : mean(sizes),
    maxSize: sizes.length === 0 ? null : Math.max(...sizes),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

async function scoreNamespace(loci: EngineContext, budget: number, counts: Counts): Promise<void> {
  const marks = await allMarks(loci);
  counts.marks += marks.length;
  counts.withoutQuery += marks.filter(({ query }) => query === null).length;
  const withQuery = marks.filter(({ query }) => query !== null);
  for (const group of Map.groupBy(withQuery, ({ query, project }) =>
    JSON.stringify([query, project]),
  ).values()) {
    counts.queries++;
    await scoreQuery(loci, budget, group, counts);
  }
}

/** What the operator says about an item of a receipt. */
interface Mark {
  readonly record: string;
  readonly verdict: NonNullable<ReceiptCandidate['verdict']>;
  readonly query: string | null;
  readonly project: string | null;
  readonly at: string;
}

async function allMarks(loci: EngineContext): Promise<Mark[]> {
  const marks: Mark[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await readReceipts(loci, { limit: PAGE, ...(after !== '' && { after }) });
    for (const { candidates, query = null, project, at, marked_at = at } of page.receipts)
      for (const { record, verdict } of candidates)
        if (verdict !== undefined) marks.push({ record, verdict, query, project, at: marked_at });
    after = page.next;
  }
  return marks;
}

async function scoreQuery(
  loci: EngineContext,
  budget: number,
  marks: readonly Mark[],
  counts: Counts,
): Promise<void> {
  const { query, project } = marks[0]!;
  const request = { query: query!, ...(project !== null && { project }) };
  const { receipt, receipt_id, text, tokens } = await memoryPack(loci, { ...request, budget });
  // A record may have marks in several receipts: the last counts.
  const verdicts = new Map(
    marks.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map(({ record, verdict }) => [record, verdict]),
  );
  const shown = new Set(receipt.candidates.flatMap(({ record, included }) => (included ? [record] : [])));
  for (const [record, verdict] of verdicts) {
    if (verdict === 'useful') counts.useful++;
    if (shown.has(record)) counts[verdict === 'useful' ? 'shownUseful' : 'shownUseless']++;
  }
  await countOrder(loci, request, verdicts, counts);
  counts.sizes.push(tokens / budget);
  await countProvenance(loci, receipt, { id: receipt_id, text }, counts);
}

async function countOrder(
  loci: EngineContext,
  request: { readonly query: string; readonly project?: string },
  verdicts: ReadonlyMap<string, Mark['verdict']>,
  counts: Counts,
): Promise<void> {
  const { results } = await search(loci, { ...request, limit: RANKED, related: 0, min_score: 0 });
  const uuids = await Promise.all(
    results.map(async ({ id }) => (await get(loci, { citation: `record/${String(id)}` })).uuid),
  );
  const rankOf = (record: string): number => {
    const rank = uuids.indexOf(record);
    return rank === -1 ? Infinity : rank;
  };
  for (const [useful, verdict] of verdicts)
    for (const [useless, other] of verdicts) {
      if (verdict !== 'useful' || other === 'useful') continue;
      counts.pairs++;
      if (rankOf(useful) < rankOf(useless)) counts.ordered++;
    }
}

async function countProvenance(
  loci: EngineContext,
  receipt: Receipt,
  { id, text }: { readonly id: string | null; readonly text: string },
  counts: Counts,
): Promise<void> {
  if (text === '') return;
  if (id === null) {
    counts.bytes += Buffer.byteLength(text);
    return;
  }
  const { receipts } = await verifyReceipt(loci, { id, prompt: text });
  for (const { whole, pieces } of receipts) {
    const isProven = ({ record, hash }: ReceiptPiece): boolean =>
      pieces
        .filter((piece) => piece.record === record && piece.hash === hash)
        .every(({ state, citation }) => state === 'same' && citation !== null);
    for (const piece of receipt.pieces) {
      const bytes = piece.pack.end - piece.pack.start;
      counts.bytes += bytes;
      if (whole === true && isProven(piece)) counts.foundBytes += bytes;
    }
  }
}

/** The scores as lines of a report. */
export function markReport(scores: MarkScores): string[] {
  const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(1)} %`);
  const { marks, withoutQuery, queries } = scores;
  const rest = withoutQuery === 0 ? '' : `; ${String(withoutQuery)} have no query and count for nothing`;
  return [
    '',
    `marks: ${String(marks)} of ${String(queries)} queries${rest}`,
    `  precision (marked records in packs that are useful)  ${percent(scores.precision)}`,
    `  recall (useful records that are in packs)              ${percent(scores.recall)}`,
    `  order (useful before not useful in the search)         ${percent(scores.order)}`,
    `  provenance (bytes of packs that are verified)          ${percent(scores.provenance)}`,
    `  size of packs against the budget                       ${percent(scores.meanSize)} on average, ${percent(scores.maxSize)} at most`,
  ];
}

/** Whether what must hold of every pack holds. */
export function isSound({ provenance, maxSize }: MarkScores): boolean {
  return (provenance === null || provenance === 1) && (maxSize === null || maxSize <= 1);
}
