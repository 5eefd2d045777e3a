import { analyze, stem } from '../../core/text/analyze.ts';
import { isFunctionWord } from '../../core/names/name.ts';
import type {
  StoredPassage,
  TermInfo,
  TextQuery,
  TextTerm,
  NamespaceVocabulary,
} from '../../store/search-model.ts';
import { writtenDays } from '../query/dates.ts';
import { fileNameWording, type Wording, wordingOf } from '../query/wordings.ts';
import { requiredPhrases, type QueryTerm } from '../query/parse.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { SearchRun, StartedRun } from '../run.ts';

/** A word of the query that no passage contains, and the indexed words that were searched for as well. */
export interface Correction {
  readonly word: string;
  readonly replacements: readonly string[];
}

/** A term of the query and the number of passages that contain it. */
export interface WeightedTerm extends QueryTerm {
  readonly passages: number;
  /** The index terms that count in its place: inflections of a word, replacements of a misspelt one. */
  readonly replacements: readonly string[];
  /** Whether the word that was replaced may be spelt correctly. */
  readonly isDoubtful: boolean;
}

/** @param correction that of the word, if it is misspelt */
export function weightedTerm(term: QueryTerm, passages: number, correction?: Correction): WeightedTerm {
  const replacements = correction?.replacements.map(stem) ?? term.variants ?? [];
  const isDoubtful = correction !== undefined && isDoubtfulCorrection(correction);
  return { ...term, passages, replacements: [...new Set(replacements)], isDoubtful };
}

/**
 * A word with another letter in place of one of its own may be a real word that no passage has ("stylus" for "styles"), and so may one
 * with another ending ("nicer" for "nice"). A missing, additional or transposed letter elsewhere, or a doubled one, is a typing error.
 */
function isDoubtfulCorrection({ word, replacements }: Correction): boolean {
  const letters = (text: string): string => [...text].sort().join('');
  return replacements.every((replacement) => {
    if (replacement.length === word.length) return letters(replacement) !== letters(word);
    const ending = word.startsWith(replacement) ? word.slice(replacement.length) : '';
    return ending !== '' && ending !== replacement.at(-1);
  });
}

/** The index terms of each way in which texts write a term, misspelt words corrected. A passage with one of them has the term. */
export function wordingsOf({ terms, alternatives = [], replacements }: WeightedTerm): (readonly string[])[] {
  return [terms, ...alternatives.map((each) => each.terms), ...replacements.map((word) => [word])];
}

export function wantedTerms(terms: readonly WeightedTerm[]): Set<string> {
  return new Set(terms.flatMap((term) => wordingsOf(term).flat()));
}

/** Which terms of a query texts have. */
export class TermFinder {
  readonly #terms: readonly WeightedTerm[];
  /** The index terms of all wordings. */
  readonly wanted: ReadonlySet<string>;
  readonly #ofPassages = new Map<number, readonly WeightedTerm[]>();

  constructor(terms: readonly WeightedTerm[]) {
    this.#terms = terms;
    this.wanted = wantedTerms(terms);
  }

  ofPassage(passage: StoredPassage): readonly WeightedTerm[] {
    const found = this.#ofPassages.get(passage.id) ?? this.among(matchedTerms(passage, this.wanted));
    this.#ofPassages.set(passage.id, found);
    return found;
  }

  lackedBy(passage: StoredPassage): readonly WeightedTerm[] {
    const had = this.ofPassage(passage);
    return this.#terms.filter((term) => !had.includes(term));
  }

  /** The terms with a wording all of whose words are among these. */
  among(words: ReadonlySet<string>): readonly WeightedTerm[] {
    return this.#terms.filter((term) =>
      wordingsOf(term).some((wording) => wording.every((word) => words.has(word))),
    );
  }
}

/** What to search for in full text. */
interface TextQueries {
  /** The query as written; `null` when it is not needed. */
  readonly literal: TextQuery | null;
  /** The query with its misspelt words corrected; `null` without corrections. */
  readonly corrected: TextQuery | null;
  readonly corrections: readonly Correction[];
  /** The terms within the frequency budget, rarest first. */
  readonly terms: readonly WeightedTerm[];
}

/** The weight of a term that this number of passages contain: 1 for none, and less for more passages. */
export function idfWeight(passages: number): number {
  return 1 / Math.log2(2 + passages);
}

/** What the vocabulary has on the words of the query, which get the ways in which texts write them. */
export async function lookUpTerms(
  run: StartedRun,
): Promise<NamespaceVocabulary & { readonly written: readonly QueryTerm[] }> {
  const { store, namespace, query, filter, deadlineMs } = run;
  const vocabulary = await store.search.terms(
    namespace,
    [...new Set(query.terms.flatMap(searchedWordings).flatMap(vocabularyWords))],
    deadlineMs,
    query.languages,
    filter.now,
  );
  const separate = new Map(
    vocabulary.terms.flatMap((info) => {
      const found = info.separate ?? [];
      return found.length === 0 ? [] : [[info.word, found]];
    }),
  );
  if (separate.size === 0) return { ...vocabulary, written: query.terms };
  return {
    ...vocabulary,
    // A word that texts write as two is not misspelt, whatever is similar: `wifi`, not "wiki".
    terms: vocabulary.terms.map((info) => {
      const passages = separate.get(info.word)?.map((each) => each.passages);
      return passages === undefined ? info : { ...info, passages: Math.max(...passages), near: [] };
    }),
    written: query.terms.map((term) => {
      const others = separate.get(term.surface)?.map(({ text }) => wordingOf(text)) ?? [];
      return others.length === 0
        ? term
        : { ...term, alternatives: [...(term.alternatives ?? []), ...others] };
    }),
  };
}

export function textQueries(run: SearchRun, found: readonly TermInfo[]): TextQueries {
  const { ranking, query } = run;
  const infos = new Map(found.map((info) => [info.word, info]));
  const corrections = correctionsOf(run, infos);
  const correctionOf = new Map(corrections.map((correction) => [correction.word, correction]));
  const weighted = query.terms.map((term) => {
    // A phrase is at most as frequent as its rarest word.
    const counts = searchedWordings(term).map((wording) =>
      Math.min(...vocabularyWords(wording).map((word) => infos.get(word)?.passages ?? 0)),
    );
    const passages = Math.max(0, ...counts.filter(Number.isFinite));
    const variants = term.kind === 'word' ? infos.get(term.surface)?.variants : undefined;
    const written = variants === undefined ? term : { ...term, variants };
    return weightedTerm(written, passages, correctionOf.get(term.surface));
  });
  const terms = withinFrequencyBudget(run, weighted);
  const required = requiredPhrases(query);
  const optional = required.length > 0 ? [] : query.phrases;
  const queryFor = (alternatives: readonly TextTerm[]): TextQuery => ({
    any: [...alternatives, ...query.symbols, ...indexPhrases(optional), ...writtenDays(run.dates)],
    all: indexPhrases(required),
    weights: ranking.fields,
  });
  const corrected = corrections
    .flatMap(({ replacements }) => replacements)
    .map((word) => ({ terms: [stem(word)], prefix: false }));
  // The corrected query finds every passage that the literal one finds. If it has all of the weight, the literal one is not needed.
  const isLiteralNeeded = corrections.length === 0 || ranking.correctionShare !== 1;
  const written = indexWordings(terms);
  return {
    literal: isLiteralNeeded ? queryFor(written) : null,
    corrected: corrections.length === 0 ? null : queryFor([...written, ...corrected]),
    corrections,
    terms,
  };
}

/** Terms of one phrase, and of all phrases together, that the index compares. Its time grows with their number. */
const MAX_PHRASE_TERMS = 16;
const MAX_TERMS_OF_PHRASES = 64;

/**
 * The phrases as the index searches for them: long ones by their first terms, and only as many as the limit allows. Whether a
 * result has the whole of every required phrase is checked with its text (`containsPhrases`).
 */
function indexPhrases(phrases: readonly TextTerm[]): TextTerm[] {
  let rest = MAX_TERMS_OF_PHRASES;
  return phrases.flatMap((phrase) => {
    const terms = phrase.terms.slice(0, MAX_PHRASE_TERMS);
    if (terms.length > rest) return [];
    rest -= terms.length;
    return [{ ...phrase, terms }];
  });
}

/** All ways in which texts write a term. The index has the name of a note's file, but not its folder. */
function searchedWordings(term: QueryTerm): readonly Wording[] {
  const { alternatives = [], path } = term;
  const fileName = path === undefined ? [] : [fileNameWording(path)];
  return [term, ...alternatives, ...fileName].filter(({ terms }) => terms.length > 0);
}

/** Each way once. */
function indexWordings(terms: readonly QueryTerm[]): TextTerm[] {
  const wordings = terms.flatMap(searchedWordings).map(({ terms: words, prefix, variants }) => ({
    terms: words,
    prefix,
    ...(variants !== undefined && { variants }),
  }));
  return [...new Map(wordings.map((wording) => [JSON.stringify(wording), wording])).values()];
}

/** The words of a term that the vocabulary can contain. It contains no bigrams, and does not count beginnings of words. */
function vocabularyWords({
  kind,
  surface,
  prefix,
}: Wording & { readonly kind?: QueryTerm['kind'] }): string[] {
  return kind === 'bigram' || prefix ? [] : surface.split(' ');
}

/** The rarest terms, as many as the budget of passages allows, but at least one. */
function withinFrequencyBudget(
  { ranking: { frequencyBudget } }: SearchRun,
  terms: readonly WeightedTerm[],
): WeightedTerm[] {
  let passages = 0;
  const rarestFirst = terms.toSorted((a, b) => a.passages - b.passages);
  return rarestFirst.filter((term, i) => {
    passages += term.passages;
    return i === 0 || passages <= frequencyBudget;
  });
}

function correctionsOf(run: SearchRun, infos: ReadonlyMap<string, TermInfo>): Correction[] {
  const wordsOfDates = new Set(run.dates.flatMap(({ text }) => analyze(text).map(({ surface }) => surface)));
  return run.query.terms.flatMap(({ terms, surface }) => {
    const near = infos.get(surface)?.near ?? [];
    const isIntended =
      wordsOfDates.has(surface) || terms.every((term) => run.intent?.intentTerms.has(term) === true);
    if (near.length === 0 || isIntended || isWellSpelt(surface, run)) return [];
    return [{ word: surface, replacements: near.map(({ word }) => word) }];
  });
}

/** A word that is one token of the model is spelt correctly: "world" does not mean "would", even if no passage has it. */
function isWellSpelt(word: string, { vectors }: SearchRun): boolean {
  if (isFunctionWord(word)) return true;
  return vectors !== null && vectors.embedder.countTokens(word) <= vectors.embedder.countTokens('a');
}
