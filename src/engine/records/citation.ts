import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { RecordHeader } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { factAt } from '../facts/corpus-path.ts';
import { nearNotes } from './near-notes.ts';

/** Lines of a record, from 1, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const LINES = /#L(\d+)(?:-L?(\d+))?$/;
const RECORD_PATH = /^(?:record\/)?(\d+)$/;

/** The lines of a record that a citation names. */
interface CitedLines {
  readonly record: Pick<RecordHeader, 'id' | 'origin' | 'source' | 'key'>;
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * Citations: `path#L3-L9` for notes, `source:path#L3-L9` for notes whose path is in several vaults, `record/12` for all
 * other records.
 */
export async function citationsOf(context: EngineContext, cited: readonly CitedLines[]): Promise<string[]> {
  const paths = [...new Set(cited.flatMap(({ record }) => vaultPath(record) ?? []))];
  const ambiguous = await ambiguousPaths(context, paths);
  return cited.map(({ record, startLine, endLine }) => {
    const path = vaultPath(record);
    if (path === null) return `record/${String(record.id)}`;
    const source = ambiguous.has(path) ? `${record.source}:` : '';
    return `${source}${path}#L${String(startLine)}-L${String(endLine)}`;
  });
}

/** The paths that are in several vaults. */
async function ambiguousPaths(
  { store, namespace, now }: EngineContext,
  paths: readonly string[],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const filters = paths.map((key) => ({ now: now(), origins: ['vault' as const], key }));
  const counts = await store.records.count(namespace, filters);
  return new Set(paths.filter((_, i) => (counts[i] ?? 0) > 1));
}

function vaultPath({ origin, key }: CitedLines['record']): string | null {
  return origin === 'vault' ? key : null;
}

export interface ParsedCitation {
  /** The citation without its lines. */
  readonly name: string;
  readonly lines: LineRange | null;
}

export function parseCitation(citation: string): ParsedCitation {
  const match = LINES.exec(citation);
  if (match === null) return { name: citation, lines: null };
  const [, from, to = from] = match;
  return { name: citation.slice(0, match.index), lines: { from: Number(from), to: Number(to) } };
}

/**
 * Finds the record of a citation, and its lines. It opens no file: a path can only lead to an indexed record (R4).
 * @throws LociError `not_found`; `ambiguous` when several vaults have the path
 */
export async function resolveCitation(
  context: EngineContext,
  citation: string,
): Promise<{ record: LociRecord; lines: LineRange | null }> {
  const { name, lines } = parseCitation(citation);
  const found =
    (await recordById(context, name)) ??
    (await noteAt(context, name.normalize('NFC'))) ??
    (await factAt(context, name)) ??
    (await noteAt(context, `${name}.md`.normalize('NFC'))) ??
    (await recordBySourceAndPath(context, name.normalize('NFC')));
  if (found === null) throw await notFoundError(context, citation, name);
  return { record: found, lines };
}

async function notFoundError(context: EngineContext, citation: string, name: string): Promise<LociError> {
  const near = await nearNotes(context, name.normalize('NFC'));
  const ambiguous = await ambiguousPaths(
    context,
    near.map(({ key }) => key),
  );
  const quoted = near.map(({ source, key }) => JSON.stringify(ambiguous.has(key) ? `${source}:${key}` : key));
  const listed = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)]
    .filter((part) => part !== '')
    .join(' or ');
  return new LociError(
    'not_found',
    `nothing in memory is called ${JSON.stringify(citation.slice(0, 200))}`,
    near.length === 0 ? {} : { hint: `Did you mean ${listed}?` },
  );
}

async function recordById(context: EngineContext, name: string): Promise<LociRecord | null> {
  const id = RECORD_PATH.exec(name)?.[1];
  if (id === undefined) return null;
  const { store, namespace, now } = context;
  const [record] = await store.records.get(namespace, [Number(id)], { liveAt: now() });
  if (record === undefined) await assertNotDeleted(context, Number(id));
  return record ?? null;
}

/** @throws LociError `not_found` for a deleted record, with a hint how to restore it */
async function assertNotDeleted({ store, namespace, now }: EngineContext, id: number): Promise<void> {
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record?.deletedAt === null || record === undefined) return;
  const age = formatAge(record.deletedAt, now());
  throw new LociError('not_found', `record ${String(id)} was deleted ${age}`, {
    hint: `\`memory_undelete ${String(id)}\` restores it.`,
  });
}

/** @throws LociError `ambiguous` when several vaults have the path */
async function noteAt(context: EngineContext, key: string): Promise<LociRecord | null> {
  const found = await notesAt(context, key);
  if (found.length < 2) return found[0] ?? null;
  const names = found
    .map(({ source }) => `${source}:${key}`)
    .toSorted()
    .join(', ');
  throw new LociError('ambiguous', `${key} is in several sources: ${names}`);
}

/** The notes of all vaults with this path. */
function notesAt({ store, namespace, now }: EngineContext, key: string): Promise<LociRecord[]> {
  const filter = { now: now(), origins: ['vault' as const], key };
  return store.records.list(namespace, { filter }, { after: null, limit: MAX_VAULTS });
}

/** More vaults than any real configuration has. */
const MAX_VAULTS = 1000;

/** The longest name of a source in the configuration. */
const MAX_SOURCE_LENGTH = 128;

/** Both names of sources and paths may have colons, so each colon may be the separator. */
async function recordBySourceAndPath(context: EngineContext, name: string): Promise<LociRecord | null> {
  let colon = name.indexOf(':');
  for (; colon !== -1 && colon <= MAX_SOURCE_LENGTH; colon = name.indexOf(':', colon + 1)) {
    const source = name.slice(0, colon);
    const found = await notesAt(context, name.slice(colon + 1));
    const match = found.find((record) => record.source.normalize('NFC') === source);
    if (match !== undefined) return match;
  }
  return null;
}
