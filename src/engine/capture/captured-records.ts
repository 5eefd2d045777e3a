import type { LociRecord, Metadata } from '../../core/types.ts';
import { sha256 } from '../../core/ids.ts';
import { validUntil } from '../../core/valid-until.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
import type { StatedFact } from './sentences/classify.ts';

/** The category of captured records, and the tag that all of them have. */
export const CAPTURED = 'captured';

/** Where a fact was said: the agent, the session and the turn. */
export type CaptureOrigin = Readonly<Record<string, string>>;

/** A fact that becomes a record. */
export type CapturedFact = Pick<StatedFact, 'text' | 'subject'> & { readonly origin: CaptureOrigin };

/** More records than a subject has. */
const MAX_FORMER = 100;

/**
 * Writes a fact as a record in the owner's words. A captured record of the same agent about the same subject ends then: it stays, and
 * says until when it was true. Returns the id, and whether the record is new: a fact that is stored and still true is not written again.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
export async function keepFact(
  context: EngineContext,
  { text, subject, origin }: CapturedFact,
): Promise<{ readonly id: number; readonly isNew: boolean }> {
  const stored = await storedFact(context, text);
  if (stored !== null) return { id: stored.id, isNew: false };
  const { id } = await write(context, {
    content: text,
    category: CAPTURED,
    tags: [tagOf(subject)],
    metadata: { captured_from: { ...origin } },
  });
  if (subject !== null) await endFormer(context, { tag: tagOf(subject), by: id, agent: origin['agent'] });
  return { id, isNew: true };
}

/** The record with exactly this text that is still true. */
export async function storedFact(context: EngineContext, text: string): Promise<LociRecord | null> {
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
  { tag, by, agent }: { readonly tag: string; readonly by: number; readonly agent: string | undefined },
): Promise<void> {
  const filter = {
    now: context.now(),
    origins: ['memory' as const],
    categories: [CAPTURED],
    tags: [tag],
  };
  const page = { after: null, limit: MAX_FORMER };
  for (const record of await context.store.records.list(context.namespace, { filter }, page)) {
    if (record.id === by || validUntil(record) !== null || agentOf(record.metadata) !== agent) continue;
    const ended = { valid_until: isoTime(context.now()), superseded_by: `record/${String(by)}` };
    await update(context, { id: record.id, metadata: { ...record.metadata, ...ended } });
  }
}

function agentOf({ captured_from: from }: Metadata): unknown {
  return typeof from === 'object' && from !== null && !Array.isArray(from) ? from['agent'] : undefined;
}
