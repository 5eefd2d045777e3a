import { analyze } from '../../core/text/analyze.ts';
import type { StoredPassage } from '../../store/search-model.ts';
import { anchorsIn } from '../rank/anchor-text.ts';
import type { Bridge, Ranked } from '../rank/rank.ts';
import type { Bridging } from '../rank/ranking.ts';
import type { SearchRun } from '../run.ts';
import { hasPhrase, isSingleWord, isUsedAsName, phrasesOf, possibleMentions } from './names.ts';

export interface AnchorConnection {
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
): Promise<AnchorConnection[]> {
  const found = await Promise.all([
    linksOf(run, anchors),
    mentionsOf(run, anchors),
    sharedPhrasesOf(run, anchors, ranked, bridging),
  ]);
  return anchors.flatMap((anchor) => {
    const strongest = new Map<number, AnchorConnection>();
    for (const each of found.flatMap((connectionsOfAnchor) => connectionsOfAnchor(anchor)))
      if (
        each.record !== anchor.passage.record.id &&
        each.strength > (strongest.get(each.record)?.strength ?? 0)
      )
        strongest.set(each.record, each);
    // A note that names many others says little about each of them.
    const share = Math.sqrt(Math.min(1, bridging.fanOut / strongest.size));
    return [...strongest.values()].map((each) => ({ ...each, strength: each.strength * share }));
  });
}

type ByAnchor = (anchor: Ranked) => readonly AnchorConnection[];

async function linksOf({ store, namespace }: SearchRun, anchors: readonly Ranked[]): Promise<ByAnchor> {
  const written = anchors.map(({ passage }) => [passage.record.id, anchorsIn(passage)] as const);
  const from = written.flatMap(([record, links]) => (links.length === 0 ? [] : [record]));
  if (from.length === 0) return () => [];
  const targets = [...new Set(written.flatMap(([, links]) => links.map(({ target }) => target)))];
  const resolved = await store.records.links(namespace, { from, targets }, { after: null, limit: MAX_LINKS });
  return (anchor) =>
    resolved.flatMap(({ record, target, targetRecord, targetPassage }): AnchorConnection[] =>
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
      (found.get(name) ?? []).map(({ record, passage }): AnchorConnection => ({
        ...{ anchor, record, passage, kind: 'mention', text: name, strength: 1 },
      })),
    );
}

/** The records that a signal found and that have a capitalised phrase of the anchor, unless many have it. */
async function sharedPhrasesOf(
  run: SearchRun,
  anchors: readonly Ranked[],
  ranked: readonly Ranked[],
  bridging: Bridging,
): Promise<ByAnchor> {
  const holders = new Map<string, readonly Ranked[]>();
  for (const { passage } of anchors)
    for (const phrase of phrasesOf(passage)) {
      if (holders.has(phrase)) continue;
      const having = ranked.filter((hit) => hasPhrase(hit.passage, phrase));
      holders.set(phrase, having.length <= bridging.maxHolders ? having : []);
    }
  const words = [...holders].flatMap(([phrase, having]) =>
    having.length > 1 && isSingleWord(phrase) ? [phrase] : [],
  );
  const names = await namesAmong(run, words, ranked, bridging);
  return (anchor) =>
    phrasesOf(anchor.passage).flatMap((phrase) => {
      const isWord = isSingleWord(phrase);
      if (isWord && !names.has(phrase)) return [];
      const strength = bridging.phrase * (isWord ? bridging.word : 1);
      return holders.get(phrase)!.map(({ passage }): AnchorConnection => ({
        ...{ anchor, record: passage.record.id, passage: passage.id, kind: 'phrase', text: phrase, strength },
      }));
    });
}

/** The single words that are names: in few passages of the store, and used as such by the results. */
async function namesAmong(
  { store, namespace }: SearchRun,
  words: readonly string[],
  ranked: readonly Ranked[],
  { maxWordPassages }: Bridging,
): Promise<ReadonlySet<string>> {
  if (words.length === 0) return new Set();
  const surfaces = new Map(words.map((word) => [word, analyze(word)[0]?.surface ?? '']));
  const infos = (await store.search.terms(namespace, [...new Set(surfaces.values())])).terms;
  const rare = new Set(infos.filter(({ passages }) => passages <= maxWordPassages).map(({ word }) => word));
  const texts = ranked.map(({ passage }) => passage.text);
  return new Set(words.filter((word) => rare.has(surfaces.get(word)!) && isUsedAsName(word, texts)));
}
