import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LociError } from '../src/core/errors.ts';
import type { LociRecord, Metadata } from '../src/core/types.ts';
import type { RecordInput } from '../src/ingest/record-draft.ts';
import { openSource } from '../src/sources/registry.ts';
import type { Source } from '../src/sources/source.ts';
import type { EvalCollection, EvalDocument, EvalSet } from './sets.ts';
import { recordOfPrinted, sourceDocumentId, UNDATED } from './source-records.ts';

/** The records of a collection's documents. Notes are read through the vault source. */
export async function recordsOf(set: EvalSet, collection: EvalCollection): Promise<RecordInput[]> {
  const root = mkdtempSync(join(tmpdir(), 'loci-eval-'));
  try {
    const vault = await openSource('vault', { name: set.name, root });
    const records: RecordInput[] = [];
    for (const [index, doc] of collection.docs.entries()) {
      if (doc.from !== undefined) records.push(recordOfPrinted(doc.from.source, doc.from.printed));
      else records.push(doc.note ? await recordOfNote(vault, root, doc) : recordOf(doc, index));
    }
    return records;
  } finally {
    rmSync(root, { recursive: true });
  }
}

type KeyedRecord = Pick<LociRecord, 'origin' | 'source' | 'key'>;

/** Identifies a record in a collection. The key of a note is its path, to which other notes link. */
export function recordKey({ origin, source, key }: KeyedRecord): string {
  return origin === 'source' ? sourceDocumentId(source, key ?? '') : (key ?? '');
}

/** Returns the id of the document of a record of this collection. */
export function documentIds({ docs }: EvalCollection): (record: KeyedRecord) => string {
  const ids = new Map(docs.flatMap(({ id, path, note }) => (note && path !== undefined ? [[path, id]] : [])));
  return (record) => {
    const key = recordKey(record);
    return ids.get(key) ?? key;
  };
}

async function recordOfNote(
  vault: Source,
  root: string,
  { id, path = id, text }: EvalDocument,
): Promise<RecordInput> {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  const note = await vault.read({ key: path, revision: '', bytes: 0 }, () => undefined);
  if (note === null)
    throw new LociError('invalid_input', `the note ${path} cannot be read as part of a vault`);
  const dated = typeof note.metadata['date'] === 'string';
  return {
    content: note.content,
    title: note.title,
    project: note.project ?? 'default',
    origin: 'vault',
    trust: 'operator',
    source: 'eval',
    key: path,
    category: 'note',
    recordType: 'note',
    tags: note.tags,
    metadata: note.metadata,
    // The file times of a checkout are not those of the note.
    createdAt: dated ? (note.createdAt ?? UNDATED) : UNDATED,
    expiresAt: null,
  };
}

/** The record of a document: a text, or a turn of a chat with session, speaker, role and date. */
export function recordOf(doc: EvalDocument, index: number): RecordInput {
  const time = doc.date === undefined ? null : parseDate(doc.date);
  const session = doc.session ?? doc.batch;
  const metadata: Metadata = {};
  if (doc.speaker !== undefined) metadata['speaker'] = doc.speaker;
  if (session !== undefined) metadata['session'] = session;
  if (doc.role !== undefined) metadata['role'] = doc.role;
  if (doc.caption !== undefined && doc.caption !== '') metadata['caption'] = doc.caption;
  if (time !== null) metadata['date'] = new Date(time).toISOString().slice(0, 10);
  return {
    content: doc.text,
    title: doc.title ?? '',
    project: 'default',
    origin: 'memory',
    trust: 'agent',
    source: 'eval',
    key: doc.id,
    category: 'general',
    recordType: 'fact',
    tags: [],
    metadata,
    createdAt: time === null ? UNDATED : time + index,
    expiresAt: null,
  };
}

const LOCOMO_DATE = /^(\d{1,2}):(\d{2}) (am|pm) on (.+)$/i;

/** `1:56 pm on 8 May, 2023`, `March-15-2024`, or any format that `Date` reads; UTC. */
function parseDate(text: string): number | null {
  const match = LOCOMO_DATE.exec(text);
  const day = (match?.[4] ?? text).replaceAll(/[-,]/g, ' ');
  const parsed = Date.parse(`${day} 00:00 UTC`);
  if (Number.isNaN(parsed)) return null;
  if (match === null) return parsed;
  const hour = (Number(match[1]) % 12) + (match[3]?.toLowerCase() === 'pm' ? 12 : 0);
  return parsed + (hour * 60 + Number(match[2])) * 60_000;
}
