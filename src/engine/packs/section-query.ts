import type { Candidate } from '../../pack/candidate.ts';
import type { SectionQuery } from '../../pack/sections/judge.ts';
import { idfWeight, replacementsOf, wordingsOf } from '../../search/retrieve/text.ts';
import type { SearchOutcome } from '../../search/search.ts';
import type { Store } from '../../store/store.ts';

/**
 * The share of meaning in the match of a section. It is larger than in a search: the search found these records, so that their
 * words are those of the query anyway.
 */
const MEANING_SHARE = 0.7;

/** The query with which the sections of the candidates are compared. */
export function sectionQuery({ retrieved }: Pick<SearchOutcome, 'retrieved'>): SectionQuery {
  const { vector, terms, corrections, modelCoverage } = retrieved;
  const meaningShare = vector === null ? 0 : terms.length === 0 ? 1 : MEANING_SHARE * modelCoverage;
  const replacements = replacementsOf({ terms, corrections });
  return {
    terms: terms.map((term) => ({ weight: idfWeight(term.passages), any: wordingsOf(term, replacements) })),
    meaningShare,
  };
}

/** Passages of all candidates together that are compared with the query. */
const MAX_COMPARED = 3000;

/** Compares all passages of the candidates with the query, since any section may be shown. */
export async function withPassages(
  store: Store,
  namespace: string,
  { retrieved: { vector } }: SearchOutcome,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (vector === null) return candidates;
  const ids = candidates.flatMap(({ record, excluded }) => (excluded === null ? [record.id] : []));
  const records = { ids, limit: MAX_COMPARED };
  const { compared } = await store.search.retrieve(namespace, { queries: [], cosines: vector, records });
  return candidates.map((each) => ({ ...each, passages: compared.get(each.record.id) ?? [] }));
}
