import { sha256 } from '../../core/ids.ts';
import type { LociRecord, Metadata } from '../../core/types.ts';
import { validUntil } from '../../core/valid-until.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
import { withLease } from '../shared/lease.ts';
import { requestedFacts } from './sentences/requested-facts.ts';
import { subjectOf } from './sentences/subject.ts';

/** The category of captured records, and the tag that all of them have. */
const CAPTURED = 'captured';

/** Where a fact was said: the agent, the session and the turn. */
type CaptureOrigin = Readonly<Record<string, string>>;

interface CaptureRequest {
  readonly message: string;
  readonly origin: CaptureOrigin;
  /** The most facts that are stored. */
  readonly maxPerTurn: number;
  readonly maxPerDay: number;
}

/** How many facts of a message were stored, and how many were left out because they have a secret. */
export interface Captured {
  readonly stored: number;
  readonly secrets: number;
}

/** A fact that becomes a record. */
interface CapturedFact {
  readonly text: string;
  /** What it is about, if that has one value at a time, such as `home`; `null` otherwise. */
  readonly subject: string | null;
  readonly origin: CaptureOrigin;
}

/** More records than a subject has. */
const MAX_FORMER = 100;

/**
 * Stores what a message of the owner asks to remember.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
export async function captureMessage(
  context: EngineContext,
  { message, origin, maxPerTurn, maxPerDay }: CaptureRequest,
): Promise<Captured> {
  const { facts, secrets } = await requestedFacts(message);
  if (facts.length === 0) return { stored: 0, secrets };
  const keepAll = async (): Promise<Captured> => {
    const today = new Date(context.now()).setHours(0, 0, 0, 0);
    const filter = { now: context.now(), origins: ['memory' as const], categories: [CAPTURED], from: today };
    const ofToday = await context.store.records.count(context.namespace, filter);
    const left = Math.min(maxPerTurn, maxPerDay - ofToday);
    let stored = 0;
    for (const text of facts)
      if (stored < left && (await keepFact(context, { text, subject: subjectOf(text), origin }))) stored++;
    return { stored, secrets };
  };
  // Of two facts that are captured at the same time, the later one ends the other.
  const lease = { namespace: context.namespace, name: 'captured facts' };
  return withLease(context, lease, keepAll, { wait: true });
}

/**
 * Writes a fact as a record in the owner's words. A captured record of the same agent about the same subject ends then: it stays, and
 * says until when it was true. Returns whether the record is new: a fact that is stored and still true is not written again, but ends the
 * former fact, since the process may have been killed before that.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
async function keepFact(context: EngineContext, fact: CapturedFact): Promise<boolean> {
  const { text, subject, origin } = fact;
  const stored = await storedFact(context, text);
  const fields = { content: text, category: CAPTURED, tags: [tagOf(subject)] };
  const { id } = stored ?? (await write(context, { ...fields, metadata: { captured_from: origin } }));
  if (subject !== null) await endFormer(context, fact, id);
  return stored === null;
}

/** The record with exactly this text that is still true. */
async function storedFact(context: EngineContext, text: string): Promise<LociRecord | null> {
  const filter = { now: context.now(), origins: ['memory' as const], contentHash: sha256(text) };
  const page = { after: null, limit: MAX_FORMER };
  const records = await context.store.records.list(context.namespace, { filter }, page);
  return records.find((record) => validUntil(record) === null) ?? null;
}

/** A tag within `captured`, so that a filter by that finds it: `captured/name-of-wife`. */
function tagOf(subject: string | null): string {
  return subject === null ? CAPTURED : `${CAPTURED}/${subject.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}`;
}

async function endFormer(
  context: EngineContext,
  { subject, origin }: CapturedFact,
  id: number,
): Promise<void> {
  const filter = {
    now: context.now(),
    origins: ['memory' as const],
    categories: [CAPTURED],
    tags: [tagOf(subject)],
  };
  const page = { after: null, limit: MAX_FORMER };
  for (const record of await context.store.records.list(context.namespace, { filter }, page)) {
    const from = originOf(record.metadata);
    if (record.id === id || validUntil(record) !== null || from['agent'] !== origin['agent']) continue;
    const ended = { valid_until: isoTime(context.now()), superseded_by: `record/${String(id)}` };
    await update(context, { id: record.id, metadata: { ...record.metadata, ...ended } });
  }
}

function originOf({ captured_from: origin }: Metadata): CaptureOrigin {
  return typeof origin === 'object' && origin !== null && !Array.isArray(origin)
    ? (origin as CaptureOrigin)
    : {};
}
