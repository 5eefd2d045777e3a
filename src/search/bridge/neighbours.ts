import type { StoredPassage } from '../../store/search-model.ts';
import { anchorsIn } from '../rank/anchor-text.ts';
import type { Bridge, Ranked } from '../rank/rank.ts';
import type { Bridging } from '../rank/ranking.ts';
import type { SearchRun } from '../run.ts';
import { capitalisedPhrases, hasPhrase, possibleMentions } from './names.ts';

export interface Connection {
  readonly anchor: Ranked;
  readonly record: number;
  /** The first passage, for a record that no signal found. */
  readonly passage: number;
  readonly kind: Bridge['kind'];
  /** The target of the link, the name, or the phrase. */
  readonly text: string;
  /** 0 to 1. */
  readonly strength: number;
}

/** Links of the anchors' passages that are resolved. */
const MAX_LINKS = 200;

/** Whether a record can be an end of a connection: a note, or a memory with a title, but no turn of a session. */
export function isConnectable({ record }: Pick<StoredPassage, 'record'>): boolean {
  if (record.title === '' || (record.origin !== 'vault' && record.origin !== 'memory')) return false;
  return record.metadata['session'] === undefined;
}

/** Everything that the anchors are connected with, at most once for each anchor and record, by the strongest connection. */
export async function connectionsOf(
  run: SearchRun,
  anchors: readonly Ranked[],
  ranked: readonly Ranked[],
  bridging: Bridging,
): Promise<Connection[]> {
  const [linked, mentioned] = await Promise.all([linksOf(run, anchors), mentionsOf(run, anchors)]);
  return anchors.flatMap((anchor) => {
    const found = [
      ...linked(anchor),
      ...mentioned(anchor),
      ...sharedPhrases(anchor, ranked, bridging),
    ].filter(({ record }) => record !== anchor.passage.record.id);
    const strongest = new Map<number, Connection>();
    for (const each of found)
      if (each.strength > (strongest.get(each.record)?.strength ?? 0)) strongest.set(each.record, each);
    // A note that names many others says little about each of them.
    const share = Math.sqrt(Math.min(1, bridging.fanOut / strongest.size));
    return [...strongest.values()].map((each) => ({ ...each, strength: each.strength * share }));
  });
}

type ByAnchor = (anchor: Ranked) => readonly Connection[];

async function linksOf({ store, namespace }: SearchRun, anchors: readonly Ranked[]): Promise<ByAnchor> {
  const written = anchors.map(({ passage }) => [passage.record.id, anchorsIn(passage)] as const);
  const from = written.flatMap(([record, links]) => (links.length === 0 ? [] : [record]));
  if (from.length === 0) return () => [];
  const targets = [...new Set(written.flatMap(([, links]) => links.map(({ target }) => target)))];
  const resolved = await store.records.links(namespace, { from, targets }, { after: null, limit: MAX_LINKS });
  return (anchor) =>
    resolved.flatMap(({ record, target, targetRecord, targetPassage }): Connection[] =>
      record !== anchor.passage.record.id || targetRecord === null || targetPassage === null
        ? []
        : [{ anchor, record: targetRecord, passage: targetPassage, kind: 'link', text: target, strength: 1 }],
    );
}

async function mentionsOf({ store, namespace }: SearchRun, anchors: readonly Ranked[]): Promise<ByAnchor> {
  const names = new Set(anchors.flatMap(({ passage }) => possibleMentions(passage)));
  if (names.size === 0) return () => [];
  const found = Map.groupBy(await store.search.named(namespace, [...names]), ({ name }) => name);
  return (anchor) =>
    possibleMentions(anchor.passage).flatMap((name) =>
      (found.get(name) ?? []).map(({ record, passage }): Connection => ({
        ...{ anchor, record, passage, kind: 'mention', text: name, strength: 1 },
      })),
    );
}

/** The records that a signal found and that have a capitalised phrase of the anchor, unless many of them have it. */
function sharedPhrases(
  anchor: Ranked,
  ranked: readonly Ranked[],
  { phrase: strength, maxHolders }: Bridging,
): Connection[] {
  return capitalisedPhrases(anchor.passage).flatMap((phrase) => {
    const holders = ranked.filter(({ passage }) => hasPhrase(passage, phrase));
    if (holders.length > maxHolders) return [];
    return holders.map(({ passage }): Connection => ({
      ...{ anchor, record: passage.record.id, passage: passage.id, kind: 'phrase', text: phrase, strength },
    }));
  });
}
