import type { RecordHeader } from '../../store/search-model.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';

type CitedRecord = Pick<RecordHeader, 'id' | 'origin' | 'source' | 'key'>;

/** Where the records are. */
export type CitedFrom = Pick<EngineContext, 'store' | 'namespace' | 'now'>;

/** Reads from the store of a search, which may have read ahead. */
export function readingFrom({ namespace, now }: CitedFrom, store: Store): CitedFrom {
  return { store, namespace, now };
}

/** The lines of a record that a citation names. */
interface CitedLines {
  readonly record: CitedRecord;
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * Citations: `path#L3-L9` for notes, `source:path#L3-L9` for notes whose path is in several vaults, `record/12` for all
 * other records.
 */
export async function citationsOf(context: EngineContext, cited: readonly CitedLines[]): Promise<string[]> {
  const whole = await wholeCitations(
    context,
    cited.map(({ record }) => record),
  );
  return cited.map((lines, i) => citationOfLines(whole[i]!, lines));
}

/** @param whole the citation of the whole record */
export function citationOfLines(whole: string, { record, startLine, endLine }: CitedLines): string {
  return vaultPath(record) === null ? whole : `${whole}#L${String(startLine)}-L${String(endLine)}`;
}

/** The citations of whole records: without lines. */
export async function wholeCitations(context: CitedFrom, records: readonly CitedRecord[]): Promise<string[]> {
  const paths = [...new Set(records.flatMap((record) => vaultPath(record) ?? []))];
  const ambiguous = await ambiguousPaths(context, paths);
  return records.map((record) => {
    const path = vaultPath(record);
    if (path === null) return `record/${String(record.id)}`;
    return ambiguous.has(path) ? `${record.source}:${path}` : path;
  });
}

/** The paths that are in several vaults. */
async function ambiguousPaths(
  { store, namespace, now }: CitedFrom,
  paths: readonly string[],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const filter = { now: now(), origins: ['vault' as const], keys: paths };
  const found = await store.records.facet(namespace, 'key', filter);
  return new Set(found.filter(({ records }) => records > 1).map(({ value }) => value));
}

function vaultPath({ origin, key }: CitedRecord): string | null {
  return origin === 'vault' ? key : null;
}
