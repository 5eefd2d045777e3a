import type { Embedder } from '../src/embed/embedder.ts';
import type { Ranking } from '../src/search/rank/ranking.ts';
import type { SourcePolicy } from '../src/search/rank/source-policy.ts';
import { runSearch } from '../src/search/search.ts';
import { LociError } from '../src/core/errors.ts';
import { namespaceOf, type IndexedSet } from './index-cache.ts';
import { documentId } from './records.ts';
import type { EvalSet } from './sets.ts';
import { RESULTS, type System } from './system.ts';

/** The time of all searches of a set without a time, so that ages and "last week" mean the same in every run. */
const NOW: number = Date.UTC(2026, 10, 21);

/** The default of `search.related`. */
const RELATED_LIMIT = 8;

export interface EngineOptions {
  readonly name: string;
  readonly ranking: Ranking;
  /** Results of a lower confidence are left out. */
  readonly minScore: number;
  readonly sources: Readonly<Record<string, SourcePolicy>>;
}

/** Loci itself on an indexed set. Closing the system leaves the store open. */
export function engineSystem(
  set: EvalSet,
  { store, generation }: IndexedSet,
  embedder: Embedder | null,
  { name, ranking, minScore, sources }: EngineOptions,
): System {
  const policies = new Map(Object.entries(sources));
  const vectors = embedder === null || generation === null ? null : { embedder, generation };
  return {
    name,
    rank: async (collection, query) => {
      const {
        hits,
        related,
        retrieved: { missing },
      } = await runSearch({
        store,
        namespace: namespaceOf(set, collection),
        query,
        filter: { now: set.now ?? NOW },
        limit: RESULTS,
        ranking,
        policies,
        sourceNames: namesOf(set),
        related: { resultLimit: 10, limit: RELATED_LIMIT, excludedSources: [] },
        vectors,
      });
      const [absent] = missing;
      // Figures without one of the signals would be taken for those of all.
      if (absent !== undefined)
        throw new LociError('embedding_unavailable', `${absent.signal}: ${absent.why}`);
      const shown = hits.filter((hit) => hit.confidence >= minScore);
      return {
        ids: shown.map(({ passage }) => documentId(passage.record)),
        related: shown.length === 0 ? [] : related.map(({ passage }) => documentId(passage.record)),
        confidence: hits[0]?.confidence ?? null,
      };
    },
    close: () => Promise.resolve(),
  };
}

/** A source of a set has one name. */
function namesOf({ collections }: EvalSet): Map<string, string> {
  const sources = collections.flatMap(({ docs }) => docs.flatMap(({ from }) => from?.source ?? []));
  return new Map(sources.map((source) => [source, source]));
}

type Change = (ranking: Ranking) => Ranking;

/** The ranking with each named stage or signal disabled. A new stage of `Ranking` gets a line here. */
export const ABLATIONS: Readonly<Record<string, Change>> = {
  smoothing: setting({ smoothing: null }),
  dateBoost: setting({ dateBoost: 0 }),
  speakerBoost: setting({ speakerBoost: 0 }),
  sessionPrior: setting({ sessionPrior: 0 }),
  userPrior: setting({ userPrior: 0 }),
  titleBoost: setting({ titleBoost: 0 }),
  kindBoost: setting({ kindBoost: 0 }),
  recency: weighing({ recency: 0 }),
  // Without its own weight it would still have that of text.
  spelling: (ranking) => setting({ correctionShare: 0 })(weighing({ spelling: 0 })(ranking)),
  vector: weighing({ vector: 0 }),
  text: weighing({ text: 0 }),
};

/** The engine with nothing but the vectors: no other signal, no later stage. */
export function vectorsAlone(ranking: Ranking): Ranking {
  const bare = Object.values(ABLATIONS).reduce((before, turnOff) => turnOff(before), ranking);
  return weighing({ vector: 1 })(bare);
}

function setting(change: Partial<Ranking>): Change {
  return (ranking) => ({ ...ranking, ...change });
}

function weighing(change: Partial<Ranking['weights']>): Change {
  return (ranking) => ({ ...ranking, weights: { ...ranking.weights, ...change } });
}
