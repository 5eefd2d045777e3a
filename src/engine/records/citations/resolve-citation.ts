import path from 'node:path';
import { recordNumber } from '../../../core/ids.ts';
import { formatAge } from '../../../core/time/age.ts';
import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import { wholeCitations } from '../../shared/citations.ts';
import type { EngineContext } from '../../context.ts';
import { factAt } from './corpus-path.ts';
import { excludeSources, sourcesHiddenFrom } from '../../reading/configured/source-policies.ts';
import { typoDistance } from '../../../core/text/closest-word.ts';
import { storedEntries } from '../../../ingest/source-entries.ts';

/** Lines of a record, from 1, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const LINES = /#L(\d+)(?:-L?(\d+))?$/;
const NUMBER = /^(\d+)$/;

interface ParsedCitation {
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
 * Finds the record of a citation, or of the name of a note, and its lines, or those of its heading or block. It opens no file: a
 * path can only lead to an indexed record (R4).
 * @param excludedSources the records of these vaults and sources are not found, as if they did not exist
 * @throws LociError `not_found`; `ambiguous` when several vaults have the path, or several notes the name
 */
export async function resolveCitation(
  context: EngineContext,
  citation: string,
  excludedSources: readonly string[] = [],
): Promise<{ record: LociRecord; lines: LineRange | null }> {
  const { name, lines } = parseCitation(citation);
  const record = await findRecord(context, name, excludedSources);
  if (record !== null) return { record, lines };
  const section = await findSection(context, name.normalize('NFC'), excludedSources);
  if (section === null) throw await notFoundError(context, citation, name, excludedSources);
  return { record: section.record, lines: lines ?? section.lines };
}

/** The record with this path, corpus path, name of a note, or number. */
async function findRecord(
  context: EngineContext,
  given: string,
  excluded: readonly string[],
): Promise<LociRecord | null> {
  const name = given.normalize('NFC');
  return (
    (await recordById(context, recordNumber(name)?.toString(), excluded)) ??
    (await noteAt(context, name, excluded)) ??
    (await factAt(context, given)) ??
    (await noteAt(context, `${name}.md`, excluded)) ??
    (await recordBySourceAndPath(context, name, excluded)) ??
    (await noteByName(context, name, excluded)) ??
    // A note may be called 2024.
    (await recordById(context, NUMBER.exec(name)?.[1], excluded))
  );
}

/** No path with more `#` is read. */
const MAX_HASHES = 8;

/** Finds the record and the heading of `path#Heading`, or the block of `path#^id`. Paths and headings may have `#` too, so each may be the separator. */
async function findSection(
  context: EngineContext,
  name: string,
  excluded: readonly string[],
): Promise<{ record: LociRecord; lines: LineRange } | null> {
  const hashes = Array.from(name.matchAll(/#/g), ({ index }) => index);
  for (const hash of hashes.slice(0, MAX_HASHES)) {
    const record = await findRecord(context, name.slice(0, hash), excluded);
    if (record === null) continue;
    return { record, lines: await sectionLines(context, record, name.slice(hash + 1), name.slice(0, hash)) };
  }
  return null;
}

async function notFoundError(
  context: EngineContext,
  citation: string,
  name: string,
  excluded: readonly string[],
): Promise<LociError> {
  // A caller may read a hidden note whose name it knows, but learns no such name.
  const near = await nearNotes(context, name, [...excluded, ...(await sourcesHiddenFrom(context))]);
  const notes = near.map((note) => ({ ...note, origin: 'vault' as const }));
  const quoted = (await wholeCitations(context, notes)).map((path) => JSON.stringify(path));
  const listed = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)]
    .filter((part) => part !== '')
    .join(' or ');
  return new LociError(
    'not_found',
    `nothing in memory is called ${JSON.stringify(citation.slice(0, 200))}`,
    near.length === 0 ? {} : { hint: `Did you mean ${listed}?` },
  );
}

async function recordById(
  context: EngineContext,
  id: string | undefined,
  excluded: readonly string[],
): Promise<LociRecord | null> {
  if (id === undefined) return null;
  const { store, namespace, now } = context;
  const [record] = await store.records.get(namespace, [Number(id)], { liveAt: now() });
  if (record === undefined) await assertNotDeleted(context, Number(id), excluded);
  return record === undefined || excluded.includes(record.source) ? null : record;
}

/** @throws LociError `not_found` for a deleted record, with a hint how to restore it */
async function assertNotDeleted(
  { store, namespace, now }: EngineContext,
  id: number,
  excluded: readonly string[],
): Promise<void> {
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record?.deletedAt === null || record === undefined || excluded.includes(record.source)) return;
  const age = formatAge(record.deletedAt, now());
  throw new LociError('not_found', `record ${String(id)} was deleted ${age}`, {
    hint: `\`memory_undelete ${String(id)}\` restores it.`,
  });
}

/** @throws LociError `ambiguous` when several vaults have the path */
async function noteAt(
  context: EngineContext,
  key: string,
  excluded: readonly string[],
): Promise<LociRecord | null> {
  const found = await notesAt(context, key, excluded);
  if (found.length < 2) return found[0] ?? null;
  const names = found
    .map(({ source }) => `${source}:${key}`)
    .toSorted()
    .join(', ');
  throw new LociError('ambiguous', `${key} is in several sources: ${names}`);
}

const MAX_CANDIDATES = 10;

/** @throws LociError `ambiguous` when several notes have the name */
async function noteByName(
  context: EngineContext,
  name: string,
  excluded: readonly string[],
): Promise<LociRecord | null> {
  const noteName = name.replace(/\.(?:md|markdown)$/i, '');
  const filter = excludeSources({ now: context.now(), origins: ['vault' as const], noteName }, excluded);
  const { records } = context.store;
  const [found, count] = await Promise.all([
    records.list(context.namespace, { filter }, { after: null, limit: MAX_CANDIDATES }),
    records.count(context.namespace, filter),
  ]);
  if (count <= 1) return found[0] ?? null;
  const listed = (await wholeCitations(context, found)).toSorted();
  if (count > listed.length) listed.push(`${String(count - listed.length)} more`);
  throw new LociError(
    'ambiguous',
    `${JSON.stringify(name)} is the name of several notes: ${listed.join(', ')}`,
    {
      hint: 'Request one of these paths.',
    },
  );
}

/** The notes of all vaults with this path. */
function notesAt(
  { store, namespace, now }: EngineContext,
  key: string,
  excluded: readonly string[],
): Promise<LociRecord[]> {
  const filter = excludeSources({ now: now(), origins: ['vault' as const], key }, excluded);
  return store.records.list(namespace, { filter }, { after: null, limit: MAX_VAULTS });
}

/** More vaults than any real configuration has. */
const MAX_VAULTS = 1000;

/** The longest name of a source in the configuration. */
const MAX_SOURCE_LENGTH = 128;

/** Both names of sources and paths may have colons, so each colon may be the separator. */
async function recordBySourceAndPath(
  context: EngineContext,
  name: string,
  excluded: readonly string[],
): Promise<LociRecord | null> {
  let colon = name.indexOf(':');
  for (; colon !== -1 && colon <= MAX_SOURCE_LENGTH; colon = name.indexOf(':', colon + 1)) {
    const source = name.slice(0, colon);
    const found = await notesAt(context, name.slice(colon + 1), excluded);
    const match = found.find((record) => record.source.normalize('NFC') === source);
    if (match !== undefined) return match;
  }
  return null;
}

/**
 * The lines of a record below a heading, with the heading itself, or of a block (`^id`).
 * @param name what the caller calls the record
 * @throws LociError `not_found` with the headings or blocks that the record has
 */
async function sectionLines(
  { thread }: EngineContext,
  { content }: LociRecord,
  heading: string,
  name: string,
): Promise<LineRange> {
  const { FIND_SECTION } = await import('./find-section.ts');
  const found = await thread.run(FIND_SECTION, [content, heading], { size: content.length });
  if ('from' in found) return found;
  const { names, count } = found;
  const kind = heading.startsWith('^') ? 'block' : 'heading';
  const listed = names.map((each) => JSON.stringify(each));
  if (count > listed.length) listed.push(`${String(count - listed.length)} more`);
  throw new LociError(
    'not_found',
    `there is no ${kind} ${JSON.stringify(heading.slice(0, 200))} in ${JSON.stringify(name.slice(0, 200))}`,
    {
      hint: names.length === 0 ? `The text has no ${kind}s.` : `Its ${kind}s are ${listed.join(', ')}.`,
    },
  );
}

const MAX_NOTES = 3;

interface NearNote {
  readonly id: number;
  readonly source: string;
  readonly key: string;
  /** 0 for the same path in another case. */
  readonly distance: number;
}

/**
 * Suggests up to three notes for a name that has no record, the most likely first: the path in another
 * case, a path that ends with the name (as of the link `[[Oven]]`), a similar path. Reads the paths of all notes.
 * @param excludedSources the notes of these vaults are not suggested
 */
async function nearNotes(
  context: EngineContext,
  name: string,
  excludedSources: readonly string[] = [],
): Promise<NearNote[]> {
  const { store, namespace, now } = context;
  const forms = formsOf(name);
  const candidates: NearNote[] = [];
  const sources = await store.records.facet(namespace, 'source', { now: now(), origins: ['vault'] });
  for (const { value: source } of sources) {
    if (excludedSources.includes(source)) continue;
    for await (const { id, key } of storedEntries(store.records, namespace, source)) {
      const distance = Math.min(...forms.map((form) => distanceOf(form, key)));
      if (distance < Infinity) candidates.push({ id, source, key, distance });
    }
  }
  candidates.sort(
    (a, b) => a.distance - b.distance || a.key.length - b.key.length || (a.key < b.key ? -1 : 1),
  );
  return candidates.slice(0, MAX_NOTES);
}

/** The name with and without a link's brackets, heading and alias, and without a source before a colon. */
function formsOf(name: string): string[] {
  const bare = name.replace(/^!?\[\[/, '').replace(/\]\]$/, '');
  const forms = [bare, bare.replace(/[#|].*$/s, ''), bare.replace(/^[^:]*:/, '')];
  return [...new Set(forms.map((form) => folded(form.trim().replace(/^[./]+/, ''))))].filter(
    (form) => form !== '' && !/^(record\/)?-?\d+$/.test(form),
  );
}

function folded(key: string): string {
  return key.toLowerCase().replace(/\.(md|markdown)$/, '');
}

/** Infinity for a path that the name is not likely to mean. */
function distanceOf(form: string, key: string): number {
  const whole = folded(key);
  if (whole === form) return 0;
  if (whole.endsWith(`/${form}`)) return 1;
  const edits = Math.min(
    editsOf(form, whole),
    editsOf(path.posix.basename(form), path.posix.basename(whole)),
  );
  return edits + 2;
}

/** Infinity when half of the shorter name would have to change: that is another name. */
function editsOf(requested: string, existing: string): number {
  const edits = typoDistance(requested, existing);
  return edits === null || edits * 2 >= Math.min(requested.length, existing.length) ? Infinity : edits;
}
