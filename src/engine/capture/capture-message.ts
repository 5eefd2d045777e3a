import type { EngineContext } from '../context.ts';
import { CAPTURED, type CaptureOrigin, keepFact } from './captured-records.ts';
import { propose, proposedSince } from './proposals.ts';
import { statedFacts } from './sentences/classify.ts';

interface CaptureRequest {
  readonly message: string;
  readonly origin: CaptureOrigin;
  /** The most facts that are stored, and the most that are proposed. */
  readonly maxPerTurn: number;
  readonly maxPerDay: number;
}

/** How many facts of a message were stored and proposed, and how many sentences were left out because they have a secret. */
export interface Captured {
  readonly stored: number;
  readonly proposed: number;
  readonly secrets: number;
}

/**
 * Stores what a message of the owner asks to remember, or surely states, and proposes what else it states.
 * @throws LociError `writes_disabled`, and the other errors of a write
 */
export async function captureMessage(
  context: EngineContext,
  { message, origin, maxPerTurn, maxPerDay }: CaptureRequest,
): Promise<Captured> {
  const { facts, secrets } = await statedFacts(message);
  if (facts.length === 0) return { stored: 0, proposed: 0, secrets };
  const today = new Date(context.now()).setHours(0, 0, 0, 0);
  const filter = { now: context.now(), origins: ['memory' as const], categories: [CAPTURED], from: today };
  const left = {
    stored: Math.min(maxPerTurn, maxPerDay - (await context.store.records.count(context.namespace, filter))),
    proposed: Math.min(maxPerTurn, maxPerDay - (await proposedSince(context, today))),
  };
  const captured = { stored: 0, proposed: 0, secrets };
  for (const { text, subject, isSure } of facts) {
    const kind = isSure ? 'stored' : 'proposed';
    if (captured[kind] >= left[kind]) continue;
    const fact = { text, subject, origin };
    const isNew = isSure ? (await keepFact(context, fact)).isNew : await propose(context, fact);
    if (isNew) captured[kind]++;
  }
  return captured;
}
