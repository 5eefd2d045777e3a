import { writtenTime } from '../store/rules/record-time.ts';
import { sessionOf } from './rank/boosts.ts';
import type { DatedRecord, Ranked } from './rank/rank.ts';
import { subjectOf } from './explain/trace.ts';
import type { SearchRun } from './run.ts';

/** Results that are compared: more than are usually shown. */
const COMPARED = 50;
/** A sentence or two, in UTF-16 code units. */
const MAX_LENGTH = 300;

/**
 * Memories and facts with the same title, text and trust, in any case, take one place: the latest stands in that of the first, and names the
 * others. Turns of sessions and notes are something of their own.
 */
export async function withoutRepetition<Hit extends Ranked>(
  { store, namespace, trace }: SearchRun,
  ranked: readonly Hit[],
): Promise<readonly Hit[]> {
  const byText = Map.groupBy(ranked.slice(0, COMPARED), textOf);
  byText.delete(null);
  const repeated = [...byText.values()].filter((hits) => hits.length > 1);
  if (repeated.length === 0) return ranked;
  const ids = repeated.flat().map(({ passage }) => passage.record.id);
  const records = await store.records.get(namespace, ids, 'any');
  // The passages may be the beginnings of longer texts.
  const contents = new Map(records.map(({ id, content }) => [id, normalised(content)]));
  const places = new Map<Hit, Hit | null>();
  for (const hits of repeated)
    for (const [, same] of Map.groupBy(hits, ({ passage }) => contents.get(passage.record.id))) {
      const [latest, ...others] = same.toSorted((a, b) => timeOf(b) - timeOf(a));
      for (const hit of same) places.set(hit, null);
      places.set(same[0]!, { ...latest!, same: others.map(datedRecord) });
      for (const { passage } of others) trace.drop('same-text', subjectOf(passage));
    }
  return ranked.flatMap((hit) => (places.has(hit) ? (places.get(hit) ?? []) : [hit]));
}

function textOf({ passage }: Ranked): string | null {
  const { record, ordinal, text } = passage;
  const isWritten = record.origin === 'memory' || record.origin === 'fact';
  if (!isWritten || ordinal > 0 || text.length > MAX_LENGTH || sessionOf(passage) !== null) return null;
  if (writtenTime(record) === null) return null;
  return `${record.trust}\n${normalised(record.title)}\n${normalised(text)}`;
}

function normalised(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function timeOf({ passage }: Ranked): number {
  return writtenTime(passage.record) ?? 0;
}

function datedRecord(hit: Ranked): DatedRecord {
  return { record: hit.passage.record.id, time: timeOf(hit) };
}
