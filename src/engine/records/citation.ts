import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { RecordHeader } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { nearCitations } from './near-citations.ts';

/** Lines of a record, from 1, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const LINES = /#L(\d+)(?:-L?(\d+))?$/;
const RECORD_PATH = /^(?:record\/)?(\d+)$/;

/** What a citation is made of. */
interface Place {
  readonly record: Pick<RecordHeader, 'id' | 'origin' | 'source' | 'key'>;
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * How passages are named: `path#L3-L9` for what has a path, `source:path#L3-L9` where two sources have that path,
 * `record/12` for the rest.
 */
export async function citationsOf(
  { store, namespace, now }: EngineContext,
  places: readonly Place[],
): Promise<string[]> {
  const keys = [...new Set(places.flatMap(({ record }) => pathOf(record) ?? []))];
  const counts = keys.length === 0 ? [] : await store.countByKey(namespace, keys, now());
  const shared = new Set(keys.filter((_, i) => (counts[i] ?? 0) > 1));
  return places.map(({ record, startLine, endLine }) => {
    const path = pathOf(record);
    if (path === null) return `record/${String(record.id)}`;
    const source = shared.has(path) ? `${record.source}:` : '';
    return `${source}${path}#L${String(startLine)}-L${String(endLine)}`;
  });
}

function pathOf({ origin, key }: Place['record']): string | null {
  return origin === 'vault' ? key : null;
}

/**
 * The record that a citation names, and the lines if it names some. Only records are looked up: no path is opened,
 * so none can lead out of what is indexed (R4).
 * @throws LociError `not_found`; `ambiguous` when two sources have the path
 */
export async function resolveCitation(
  context: EngineContext,
  citation: string,
): Promise<{ record: LociRecord; lines: LineRange | null }> {
  const match = LINES.exec(citation);
  const name = match === null ? citation : citation.slice(0, match.index);
  const lines =
    match === null
      ? null
      : { from: Number(match[1]), to: match[2] === undefined ? Number(match[1]) : Number(match[2]) };
  const found = (await byId(context, name)) ?? (await byPath(context, name.normalize('NFC')));
  if (found === null) throw await notFound(context, citation, name);
  return { record: found, lines };
}

async function notFound(context: EngineContext, citation: string, name: string): Promise<LociError> {
  const near = await nearCitations(context, name.normalize('NFC'));
  const quoted = near.map((each) => JSON.stringify(each));
  const listed = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)]
    .filter((part) => part !== '')
    .join(' or ');
  return new LociError(
    'not_found',
    `nothing in memory is called ${JSON.stringify(citation.slice(0, 200))}`,
    near.length === 0 ? {} : { hint: `Did you mean ${listed}?` },
  );
}

async function byId(context: EngineContext, name: string): Promise<LociRecord | null> {
  const id = RECORD_PATH.exec(name)?.[1];
  if (id === undefined) return null;
  const { store, namespace, now } = context;
  const [record] = await store.records(namespace, [Number(id)], now());
  if (record === undefined) await refuseDeleted(context, Number(id));
  return record ?? null;
}

/** Whoever asks for a number knows that there was something. @throws LociError `not_found` that says how to have it back */
async function refuseDeleted({ store, namespace, now }: EngineContext, id: number): Promise<void> {
  const [held] = await store.heldRecords(namespace, [id]);
  if (held?.deletedAt === null || held === undefined) return;
  const age = formatAge(held.deletedAt, now());
  throw new LociError('not_found', `record ${String(id)} was deleted ${age}`, {
    hint: `\`memory_undelete ${String(id)}\` brings it back.`,
  });
}

async function byPath(context: EngineContext, name: string): Promise<LociRecord | null> {
  const { store, namespace } = context;
  for (const key of [name, `${name}.md`]) {
    const found = await store.recordsByKey(namespace, key, context.now());
    if (found.length > 1) {
      const names = found.map(({ source }) => `${source}:${key}`).join(', ');
      throw new LociError('ambiguous', `${key} is in several sources: ${names}`);
    }
    if (found[0] !== undefined) return found[0];
  }
  return bySource(context, name);
}

/** Longest name of a source, as the configuration allows it. */
const SOURCE_LENGTH = 128;

/** Names of sources and paths may both hold colons: each may be the one between them. */
async function bySource({ store, namespace, now }: EngineContext, name: string): Promise<LociRecord | null> {
  let colon = name.indexOf(':');
  for (; colon !== -1 && colon <= SOURCE_LENGTH; colon = name.indexOf(':', colon + 1)) {
    const source = name.slice(0, colon);
    const found = await store.recordsByKey(namespace, name.slice(colon + 1), now());
    const meant = found.find((record) => record.source.normalize('NFC') === source);
    if (meant !== undefined) return meant;
  }
  return null;
}
