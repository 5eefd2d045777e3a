import type { LociRecord, Metadata, Passage } from '../../core/types.ts';
import type { Neighbourhood, PassageScore, RecordHeader, SearchFilter, StoredPassage } from '../store.ts';
import { admits } from '../admits.ts';
import { nearestTo } from '../nearest.ts';
import { passagesOfRecord, type HeldPassage, type Namespace } from './state.ts';

export function passages(
  namespace: Namespace,
  ids: readonly number[],
  filter: SearchFilter,
): StoredPassage[] {
  return ids.flatMap((id) => {
    const held = namespace.passages.get(id);
    const record = held === undefined ? undefined : namespace.records.get(held.record)?.record;
    if (held === undefined || record === undefined || !admits(record, filter)) return [];
    return [structuredClone({ ...held.passage, id, record: headerOf(record) })];
  });
}

export function newest(namespace: Namespace, filter: SearchFilter, limit: number): PassageScore[] {
  const first = [...namespace.passages.values()].filter(({ passage }) => passage.ordinal === 0);
  const scores = first.flatMap(({ id, record }): PassageScore[] => {
    const made = namespace.records.get(record)?.record;
    return made === undefined || !admits(made, filter)
      ? []
      : [{ passage: id, record, score: made.createdAt }];
  });
  return scores.sort(nearestTo(filter.now)).slice(0, limit);
}

function headerOf(record: LociRecord): RecordHeader {
  const {
    content: _content,
    contentHash: _hash,
    revision: _revision,
    identity: _identity,
    ...header
  } = record;
  return header;
}

export function passagesOf(namespace: Namespace, records: readonly number[]): Map<number, Passage[]> {
  return new Map(
    records.map((record) => [
      record,
      inOrder(namespace, record).map(({ passage }) => structuredClone(passage)),
    ]),
  );
}

export function neighbours(
  namespace: Namespace,
  ids: readonly number[],
  reach: { readonly before: number; readonly after: number },
): Neighbourhood[] {
  return ids.flatMap((id) => {
    const held = namespace.passages.get(id);
    if (held === undefined) return [];
    const record = inOrder(namespace, held.record);
    const place = record.findIndex((other) => other.id === id);
    const turns = turnsAround(namespace, held.record);
    if (turns === null) return [];
    const { earlier, later } = turns;
    const before = [...record.slice(0, place).reverse(), ...earlier];
    const after = [...record.slice(place + 1), ...later];
    return [{ passage: id, before: idsOf(before, reach.before), after: idsOf(after, reach.after) }];
  });
}

function idsOf(held: readonly HeldPassage[], limit: number): number[] {
  return held.slice(0, limit).map(({ id }) => id);
}

/** The first passages of the other turns of a record's session, nearest first; `null` outside of sessions. */
function turnsAround(
  namespace: Namespace,
  id: number,
): { earlier: HeldPassage[]; later: HeldPassage[] } | null {
  const session = sessionOf(namespace.records.get(id)?.record.metadata ?? {});
  if (session === null) return null;
  const turns = [...namespace.records.values()]
    .map(({ record }) => record)
    .filter((record) => sessionOf(record.metadata) === session && record.deletedAt === null)
    .sort((a, b) => a.id - b.id);
  const first = (turn: LociRecord): HeldPassage[] =>
    passagesOfRecord(namespace, turn.id).filter(({ passage }) => passage.ordinal === 0);
  return {
    earlier: turns
      .filter((turn) => turn.id < id)
      .reverse()
      .flatMap(first),
    later: turns.filter((turn) => turn.id > id).flatMap(first),
  };
}

function sessionOf({ session }: Metadata): string | null {
  return typeof session === 'string' || typeof session === 'number' ? String(session) : null;
}

function inOrder(namespace: Namespace, record: number): HeldPassage[] {
  return passagesOfRecord(namespace, record).sort((a, b) => a.passage.ordinal - b.passage.ordinal);
}
