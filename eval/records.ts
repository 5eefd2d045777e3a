import type { Metadata } from '../src/core/types.ts';
import type { RecordInput } from '../src/ingest/remember.ts';
import type { EvalDocument } from './sets.ts';

/** A set's document as a user's data would arrive: a note, or a turn of a chat with session, speaker, role and date. */
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
    source: 'eval',
    key: doc.id,
    category: 'general',
    recordType: 'fact',
    tags: [],
    metadata,
    // Undated documents are all equally old, so that recency has nothing to say of them.
    createdAt: (time ?? Date.UTC(2020, 0, 1)) + (time === null ? 0 : index),
    expiresAt: null,
  };
}

const LOCOMO_DATE = /^(\d{1,2}):(\d{2}) (am|pm) on (.+)$/i;

/** `1:56 pm on 8 May, 2023`, `March-15-2024`, or anything that `Date` reads; UTC. */
function parseDate(text: string): number | null {
  const match = LOCOMO_DATE.exec(text);
  const day = (match?.[4] ?? text).replaceAll(/[-,]/g, ' ');
  const parsed = Date.parse(`${day} 00:00 UTC`);
  if (Number.isNaN(parsed)) return null;
  if (match === null) return parsed;
  const hour = (Number(match[1]) % 12) + (match[3]?.toLowerCase() === 'pm' ? 12 : 0);
  return parsed + (hour * 60 + Number(match[2])) * 60_000;
}
