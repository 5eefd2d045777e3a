import { isLikelyName, phrasesIn } from '../core/names/phrases.ts';
import { analyze } from '../core/text/analyze.ts';
import { isStopWord } from '../core/text/stop-words.ts';
import { within } from '../core/time/deadline.ts';
import { isName, MAX_NAME_WORDS, nameOf, queriedTokens } from '../store/rules/mention-names.ts';
import type { StoredPassage } from '../store/search-model.ts';
import { anchorsIn, resolveLinks } from './linked-notes.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases, onceForEach } from './query/phrases.ts';
import { cosineOf } from './rank/fuse.ts';
import type { Bridge, Ranked } from './rank/rank.ts';
import { type Bridging, policyOf } from './rank/ranking.ts';
import type { RetrievalResult } from './retrieve/retrieve.ts';
import { idfWeight, TermFinder, wantedTerms, type WeightedTerm } from './retrieve/text.ts';
import type { SearchRun } from './run.ts';

/** Connections that are followed to records that no signal found; the strongest first. */
const MAX_LOADED = 30;
/** How long a search with a deadline waits for connections, in milliseconds. Without them, the results are as they were. */
const DEADLINE_MS = 100;
/** The same where the database is elsewhere: two round trips to another continent. */
const REMOTE_DEADLINE_MS = 500;

/**
 * Raises the results that a better result leads to, if they have words of the query that it lacks: "who founded the
 * publisher of X" is answered by the note on the publisher, whose name only the note on X has. A record that no signal found
 * is added. Errors of the store and a deadline leave the results as they are.
 */
export async function followBridges(
  run: SearchRun,
  retrieved: RetrievalResult,
  ranked: readonly Ranked[],
): Promise<readonly Ranked[]> {
  const bridges = bridgesFrom(run, retrieved, ranked);
  if (bridges === null) return ranked;
  const { connectable, bridging, words } = bridges;
  const work = async (): Promise<readonly Ranked[]> => {
    const connections = await connectionsOf(run, bridges);
    const known = new Map(connectable.map((hit) => [hit.passage.record.id, hit]));
    const loaded = await loadUnknown(run, retrieved, connections, new Set(ranked.map(recordOf)));
    for (const hit of loaded) known.set(recordOf(hit), hit);
    return raise(run, ranked, leadsOf(run, retrieved, { connections, known, words, bridging }));
  };
  const raised = work().catch(() => ranked);
  if (run.deadlineMs === undefined) return raised;
  const { isRemote } = run.store.capabilities;
  return within(raised, isRemote ? REMOTE_DEADLINE_MS : DEADLINE_MS, () => ranked);
}

/** Reads what the results are connected with, as `followBridges` will for the same ones. */
export async function readBridges(
  run: SearchRun,
  retrieved: RetrievalResult,
  ranked: readonly Ranked[],
): Promise<void> {
  const bridges = bridgesFrom(run, retrieved, ranked);
  if (bridges !== null) await connectionsOf(run, bridges);
}

/** What may lead to other results. */
interface Bridges {
  readonly anchors: readonly Ranked[];
  readonly connectable: readonly Ranked[];
  readonly words: TermFinder;
  readonly bridging: Bridging;
}

function bridgesFrom(run: SearchRun, retrieved: RetrievalResult, ranked: readonly Ranked[]): Bridges | null {
  const { bridging } = run.ranking;
  if (bridging === null || run.intent?.listOnly === true) return null;
  const words = new TermFinder(retrieved.terms);
  // The best results that lack a part of the query.
  const anchors = ranked
    .slice(0, bridging.anchors)
    .filter(
      ({ passage, score }) => score > 0 && isConnectable(passage) && words.lackedBy(passage).length > 0,
    );
  if (anchors.length === 0) return null;
  return { anchors, connectable: ranked.filter(({ passage }) => isConnectable(passage)), words, bridging };
}

function recordOf({ passage }: Ranked): number {
  return passage.record.id;
}

function weightOf(terms: readonly WeightedTerm[]): number {
  return terms.reduce((sum, { passages }) => sum + idfWeight(passages), 0);
}

/** The first passages of connected records that no signal found, with their cosines, as results without a score. */
async function loadUnknown(
  { store, namespace, filter, query, deadlineMs }: SearchRun,
  { vector, lists }: RetrievalResult,
  connections: readonly AnchorConnection[],
  known: ReadonlySet<number>,
): Promise<Ranked[]> {
  const unknown = connections
    .filter(({ record }) => !known.has(record))
    .sort((a, b) => b.strength - a.strength || a.record - b.record);
  const ids = [...new Set(unknown.map(({ passage }) => passage))].slice(0, MAX_LOADED);
  if (ids.length === 0) return [];
  const [{ passages }, { cosines }] = await Promise.all([
    store.search.passages(namespace, ids, filter),
    vector === null
      ? { cosines: [] }
      : store.search.retrieve(namespace, {
          ...{ queries: [], cosines: vector, compared: ids, budgetMs: deadlineMs },
        }),
  ]);
  const raw = new Map(cosines.map(({ passage, score }) => [passage, score]));
  const rank = 1 + (lists.find(({ signal }) => signal === 'vector')?.scores.length ?? 0);
  const phrases = requiredPhrases(query);
  return passages
    .filter((passage) => isConnectable(passage) && containsPhrases(passage, phrases))
    .map((passage): Ranked => {
      const cosine = raw.get(passage.id);
      const contributions =
        cosine === undefined ? [] : [{ signal: 'vector', rank, raw: cosine, added: 0 } as const];
      return { passage, score: 0, contributions, boosts: [], links: null };
    });
}

/** A result that an anchor leads to. */
interface Lead {
  readonly hit: Ranked;
  readonly anchor: Ranked;
  readonly bridge: Bridge;
  /** The share by which the score of the result approaches that of its anchor. 0 to 1. */
  readonly strength: number;
}

interface Found {
  readonly connections: readonly AnchorConnection[];
  readonly known: ReadonlyMap<number, Ranked>;
  readonly words: TermFinder;
  readonly bridging: Bridging;
}

/** The strongest lead to each record; the strongest first. */
function leadsOf(
  { policies }: SearchRun,
  { modelCoverage }: RetrievalResult,
  { connections, known, words, bridging }: Found,
): Lead[] {
  const best = Math.max(...connections.map(({ anchor }) => anchor.score));
  const bestCosine = Math.max(...[...known.values()].map((hit) => cosineOf(hit.contributions) ?? 0));
  const leads = new Map<number, Lead>();
  for (const { anchor, record, strength, kind, text } of connections) {
    const hit = known.get(record);
    // A result that ranks above the anchor already has nothing to gain.
    if (hit === undefined || hit.score >= anchor.score) continue;
    const lacked = words.lackedBy(anchor.passage);
    const had = words.ofPassage(hit.passage);
    const gained = weightOf(lacked.filter((term) => had.includes(term))) / weightOf(lacked);
    const meaning =
      bestCosine <= 0 ? 0 : (modelCoverage * Math.max(0, cosineOf(hit.contributions) ?? 0)) / bestCosine;
    const relevance = Math.min(1, bridging.meaning * meaning + bridging.words * gained);
    const trusted = Math.min(1, policyOf(hit.passage.record, policies)?.weight ?? 1);
    const named = kind === 'phrase' ? 0 : bridging.named;
    const share = named + (1 - named) * relevance;
    const lead = strength * Math.sqrt(anchor.score / best) * share * trusted;
    if (lead <= (leads.get(record)?.strength ?? 0)) continue;
    const { headings, record: leading } = anchor.passage;
    const matched = wantedTerms(words.ofPassage(anchor.passage));
    const bridge = { record: leading.id, title: leading.title, headings, kind, text, matchedTerms: matched };
    leads.set(record, { hit, anchor, bridge, strength: lead });
  }
  return [...leads.values()].sort((a, b) => b.strength - a.strength || a.hit.passage.id - b.hit.passage.id);
}

/**
 * The scores of the strongest leads approach those of their anchors. No result comes to rank before its anchor, nor before a
 * document of a source that matches the query better: such documents take no part, so that they cannot be raised themselves.
 */
function raise(
  { ranking: { bridging } }: SearchRun,
  ranked: readonly Ranked[],
  leads: readonly Lead[],
): Ranked[] {
  const results = new Map(ranked.map((hit) => [hit.passage.record.id, hit]));
  const documents = ranked.filter(({ passage }) => passage.record.origin === 'source');
  for (const { hit, anchor, bridge, strength } of leads.slice(0, bridging?.raised)) {
    const above = documents.flatMap(({ score }) => (score > hit.score ? [score] : []));
    const limit = Math.min(anchor.score, ...above);
    const added = strength * (limit - hit.score);
    const boosts = [...hit.boosts, { name: 'bridge', added } as const];
    // A sum that is rounded may be above the limit.
    results.set(recordOf(hit), { ...hit, score: Math.min(limit, hit.score + added), boosts, bridge });
  }
  const isRaised = ({ bridge }: Ranked): number => (bridge === undefined ? 0 : 1);
  return [...results.values()].sort(
    (a, b) => b.score - a.score || isRaised(a) - isRaised(b) || a.passage.id - b.passage.id,
  );
}

interface AnchorConnection {
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
function isConnectable({ record }: Pick<StoredPassage, 'record'>): boolean {
  if (record.title === '' || (record.origin !== 'vault' && record.origin !== 'memory')) return false;
  return record.metadata['session'] === undefined;
}

/** Everything that the anchors are connected with, at most once for each anchor and record, by the strongest connection. */
async function connectionsOf(
  run: SearchRun,
  { anchors, connectable, bridging }: Bridges,
): Promise<AnchorConnection[]> {
  const found = await Promise.all([
    linksOf(run, anchors),
    mentionsOf(run, anchors),
    sharedPhrasesOf(run, anchors, connectable, bridging),
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

async function linksOf(run: SearchRun, anchors: readonly Ranked[]): Promise<ByAnchor> {
  const written = anchors.flatMap(({ passage }) =>
    anchorsIn(passage).map(({ target }) => ({ record: passage.record.id, target })),
  );
  const links = Map.groupBy(await resolveLinks(run, written, MAX_LINKS), ({ record }) => record);
  return (anchor) =>
    (links.get(recordOf(anchor)) ?? []).map(({ target, to }): AnchorConnection => ({
      ...{ anchor, ...to, kind: 'link', text: target, strength: 1 },
    }));
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

/** Names that one passage can mention, and phrases that it can share with others. */
const MAX_MENTIONS = 1200;
const MAX_PHRASES = 30;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** What is before a word that does not begin a sentence, a line or a quotation. */
const WITHIN_SENTENCE = /^[\p{L}\p{N},;)] $/u;

/** Every run of words in the text of a passage that may be the name of a record, in the form of `mentionNames`. */
const possibleMentions = onceForEach(({ text }: StoredPassage): readonly string[] => {
  const tokens = queriedTokens(text);
  const names = new Set<string>();
  for (let start = 0; start < tokens.length; start++) {
    if (isStopWord(tokens[start]!.surface)) continue;
    for (let length = 1; length <= MAX_NAME_WORDS && start + length <= tokens.length; length++) {
      const words = tokens.slice(start, start + length);
      if (isName(words)) names.add(nameOf(words));
      if (names.size === MAX_MENTIONS) return [...names];
    }
  }
  return [...names];
});

/** The phrases of a passage that may be names, as the concepts have them. */
const phrasesOf = onceForEach(({ text }: StoredPassage): readonly string[] => {
  const names = phrasesIn(text).filter(isLikelyName).slice(0, MAX_PHRASES);
  return names.map((name) => name.text);
});

/** Whether the title or the text of a passage has a phrase as written, as whole words. */
function hasPhrase({ record, text }: StoredPassage, phrase: string): boolean {
  return isIn(text, phrase) || isIn(record.title, phrase);
}

function isIn(text: string, phrase: string): boolean {
  return occurrences(text, phrase).next().done !== true;
}

/** Where a text has a phrase as whole words. */
function* occurrences(text: string, phrase: string): Generator<number> {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text[at + phrase.length] ?? ''];
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) yield at;
  }
}

function isSingleWord(phrase: string): boolean {
  return !phrase.includes(' ');
}

/**
 * Whether texts use a capitalised word as a name: more of them have it with a capital within a sentence than in lower case.
 * "However" begins sentences only, and "Warning" is "warning" elsewhere.
 */
function isUsedAsName(word: string, texts: readonly string[]): boolean {
  const lower = word.toLowerCase();
  let names = 0;
  let words = 0;
  for (const text of texts) {
    if (isIn(text, lower)) words++;
    else if (
      [...occurrences(text, word)].some((at) => WITHIN_SENTENCE.test(text.slice(Math.max(0, at - 2), at)))
    )
      names++;
  }
  return names > words;
}
