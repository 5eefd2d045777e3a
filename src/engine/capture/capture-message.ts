import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { LociRecord, Metadata } from '../../core/types.ts';
import { validUntil } from '../../core/valid-until.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
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

/** More records than a subject has, and more often than a fact becomes true again in a day. */
const MAX_FORMER = 100;
/** How often a former fact is ended while others change it. */
const MAX_ATTEMPTS = 20;

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
  const today = new Date(context.now()).setHours(0, 0, 0, 0);
  const filter = { now: context.now(), origins: ['memory' as const], categories: [CAPTURED], from: today };
  const ofToday = await context.store.records.count(context.namespace, filter);
  const left = Math.min(maxPerTurn, maxPerDay - ofToday);
  let stored = 0;
  for (const text of facts)
    if (stored < left && (await keepFact(context, { text, subject: subjectOf(text), origin })).isNew)
      stored++;
  return { stored, secrets };
}

interface Kept {
  readonly id: number;
  readonly isNew: boolean;
}

/**
 * Writes a fact as a record in the owner's words. A captured record of the same agent about the same subject ends then: it stays, and
 * says until when it was true. Returns the id, and whether the record is new: a fact that is stored and still true is not written again,
 * but ends the former fact, since the process may have been killed before that.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
async function keepFact(context: EngineContext, fact: CapturedFact): Promise<Kept> {
  const stored = await storedFact(context, fact.text);
  const kept = stored === null ? await writeFact(context, fact) : { id: stored.id, isNew: false };
  if (fact.subject === null) return kept;
  for (let attempt = 1; ; attempt++) {
    try {
      await endFormer(context, fact, kept);
      return kept;
    } catch (error) {
      if (!isRace(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Writes a fact once, also if two processes write it at the same time. */
async function writeFact(context: EngineContext, { text, subject, origin }: CapturedFact): Promise<Kept> {
  const metadata = { captured_from: origin };
  for (let attempt = 1; ; attempt++) {
    // An earlier key may belong to a record that was deleted, or that is no longer true.
    const key = sha256(JSON.stringify([CAPTURED, origin['agent'], text, attempt]));
    const fields = { content: text, category: CAPTURED, tags: [tagOf(subject)], metadata };
    try {
      const { id, replayed } = await write(context, { ...fields, idempotency_key: key });
      if (!replayed) return { id, isNew: true };
    } catch (error) {
      if (!isRace(error) || attempt === MAX_FORMER) throw error;
    }
    const stored = await storedFact(context, text);
    if (stored !== null) return { id: stored.id, isNew: false };
  }
}

/** Whether another call or process changed the same record meanwhile. */
function isRace(error: unknown): boolean {
  return error instanceof LociError && ['conflict', 'not_found', 'gone'].includes(error.code);
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
  { id, isNew }: Kept,
): Promise<void> {
  const filter = {
    now: context.now(),
    origins: ['memory' as const],
    categories: [CAPTURED],
    tags: [tagOf(subject)],
  };
  const page = { after: null, limit: MAX_FORMER };
  for (const record of await context.store.records.list(context.namespace, { filter }, page)) {
    // Of two facts that are written at the same time, the one with the higher number stays true.
    const isFormer = isNew ? record.id < id : record.id !== id;
    const from = originOf(record.metadata);
    if (!isFormer || validUntil(record) !== null || from['agent'] !== origin['agent']) continue;
    await end(context, record.id, id);
  }
}

/** A record stays, and says until when it was true. */
async function end(context: EngineContext, id: number, by: number): Promise<void> {
  const [record] = await context.store.records.get(context.namespace, [id], { liveAt: context.now() });
  if (record === undefined || validUntil(record) !== null) return;
  const ended = { valid_until: isoTime(context.now()), superseded_by: `record/${String(by)}` };
  await update(context, { id, metadata: { ...record.metadata, ...ended } });
}

function originOf({ captured_from: origin }: Metadata): CaptureOrigin {
  return typeof origin === 'object' && origin !== null && !Array.isArray(origin)
    ? (origin as CaptureOrigin)
    : {};
}
