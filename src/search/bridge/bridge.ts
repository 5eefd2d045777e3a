import { within } from '../../core/time/within.ts';
import { requiredPhrases } from '../query/parse.ts';
import { containsPhrases, matchedTerms } from '../query/phrases.ts';
import { cosineOf } from '../rank/fuse.ts';
import type { Bridge, Ranked } from '../rank/rank.ts';
import type { Bridging } from '../rank/ranking.ts';
import { policyOf } from '../rank/source-policy.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import { idfWeight, replacementsOf, wordingsOf } from '../retrieve/text.ts';
import type { SearchRun } from '../run.ts';
import { connectionsOf, isConnectable, type AnchorConnection } from './neighbours.ts';

/** Connections that are followed to records that no signal found; the strongest first. */
const MAX_LOADED = 30;
/** How long a search with a deadline waits for connections, in milliseconds. Without them, the results are as they were. */
const DEADLINE_MS = 100;

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
  const { bridging } = run.ranking;
  if (bridging === null || run.intent?.listOnly === true) return ranked;
  const words = new QueryWords(retrieved);
  // The best results that lack a part of the query.
  const anchors = ranked
    .slice(0, bridging.anchors)
    .filter(({ passage, score }) => score > 0 && isConnectable(passage) && words.lackedBy(passage).size > 0);
  if (anchors.length === 0) return ranked;
  const connectable = ranked.filter(({ passage }) => isConnectable(passage));
  const work = async (): Promise<readonly Ranked[]> => {
    const connections = await connectionsOf(run, anchors, connectable, bridging);
    const known = new Map(connectable.map((hit) => [hit.passage.record.id, hit]));
    const loaded = await loadUnknown(run, retrieved, connections, new Set(ranked.map(recordOf)));
    for (const hit of loaded) known.set(recordOf(hit), hit);
    return raise(run, ranked, leadsOf(run, retrieved, { connections, known, words, bridging }));
  };
  const raised = work().catch(() => ranked);
  return run.deadlineMs === undefined ? raised : within(raised, DEADLINE_MS, () => ranked);
}

function recordOf({ passage }: Ranked): number {
  return passage.record.id;
}

/** The words of the query, each with its weight, and which of them a passage has. */
class QueryWords {
  readonly weights: ReadonlyMap<string, number>;
  readonly #wanted: ReadonlySet<string>;
  readonly #alternatives: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly #had = new Map<number, ReadonlySet<string>>();

  constructor({ terms, corrections }: RetrievalResult) {
    const replacements = replacementsOf({ terms, corrections });
    this.weights = new Map(terms.map(({ surface, passages }) => [surface, idfWeight(passages)]));
    this.#alternatives = new Map(terms.map((term) => [term.surface, wordingsOf(term, replacements)]));
    this.#wanted = new Set([...this.#alternatives.values()].flat(2));
  }

  /** The words of the query that a passage has. */
  hadBy(passage: Ranked['passage']): ReadonlySet<string> {
    let had = this.#had.get(passage.id);
    if (had === undefined) {
      const matched = matchedTerms(passage, this.#wanted);
      const isMatched = (terms: readonly string[]): boolean => terms.every((term) => matched.has(term));
      had = new Set([...this.#alternatives].flatMap(([word, any]) => (any.some(isMatched) ? [word] : [])));
      this.#had.set(passage.id, had);
    }
    return had;
  }

  lackedBy(passage: Ranked['passage']): ReadonlySet<string> {
    const had = this.hadBy(passage);
    return new Set([...this.weights.keys()].filter((word) => !had.has(word)));
  }

  weightOf(words: ReadonlySet<string>): number {
    return [...words].reduce((sum, word) => sum + this.weights.get(word)!, 0);
  }

  termsOf(words: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...words].flatMap((word) => this.#alternatives.get(word)!.flat()));
  }
}

/** The first passages of connected records that no signal found, with their cosines, as results without a score. */
async function loadUnknown(
  { store, namespace, filter, query }: SearchRun,
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
      : store.search.retrieve(namespace, { queries: [], cosines: vector, compared: ids }),
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
  readonly words: QueryWords;
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
    const had = words.hadBy(hit.passage);
    const gained =
      words.weightOf(new Set([...lacked].filter((word) => had.has(word)))) / words.weightOf(lacked);
    const meaning =
      bestCosine <= 0 ? 0 : (modelCoverage * Math.max(0, cosineOf(hit.contributions) ?? 0)) / bestCosine;
    const relevance = Math.min(1, bridging.meaning * meaning + bridging.words * gained);
    const trusted = Math.min(1, policyOf(hit.passage.record, policies)?.weight ?? 1);
    const named = kind === 'phrase' ? 0 : bridging.named;
    const share = named + (1 - named) * relevance;
    const lead = strength * Math.sqrt(anchor.score / best) * share * trusted;
    if (lead <= (leads.get(record)?.strength ?? 0)) continue;
    const { id, title } = anchor.passage.record;
    const matched = words.termsOf(words.hadBy(anchor.passage));
    const bridge = {
      record: id,
      title,
      headings: anchor.passage.headings,
      kind,
      text,
      matchedTerms: matched,
    };
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
