import { runInGroups } from '../../core/threads/task-thread.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { LociRecord } from '../../core/types.ts';
import { BREAK } from '../../core/names/name-words.ts';
import type { ConceptMention, NamingRequest, ProjectName, StoredName } from '../../store/concept-model.ts';
import type { StoreGraph } from '../../store/store.ts';
import { isClaim } from './concept-groups.ts';
import type { ConceptOptions } from './concept-options.ts';
import { lengthOf, RECORD_MENTIONS, RECORD_WORDS } from './record-names.ts';

/** A name that more records have is too common for edges. */
const MAX_FOUND_RECORDS = 1000;
/** Longer names are searched for by their first terms. */
const MAX_PHRASE_TERMS = 12;
const FIELDS = { title: 0, headings: 1, body: 1, tags: 0 };

/**
 * The records whose mentions may differ after records got or lost these names: those in which the full-text index finds one, and
 * those that mention one, in which a shorter name may have been hidden.
 */
export async function recordsWithNames(
  { store, namespace, now }: ConceptOptions,
  changed: readonly ProjectName[],
): Promise<number[]> {
  const ids = new Set<number>();
  for (const [project, names] of Map.groupBy(changed, (each) => each.project)) {
    const keys = names.map(({ key }) => key);
    for (const id of await recordsNaming(store.graph, namespace, { project, keys }, MAX_FOUND_RECORDS))
      ids.add(id);
    const rows = await store.graph.conceptNames(namespace, { project, only: { keys, notes: [] } });
    const wanted = new Set(keys);
    const texts = rows.filter((row) => isClaim(row) && wanted.has(row.key)).map(({ text }) => text);
    for (const name of new Set(texts)) {
      const terms = phraseOf(name);
      if (terms.length === 0) continue;
      const query = {
        by: 'text' as const,
        text: { any: [{ terms, prefix: false }], all: [], weights: FIELDS },
        filter: { now, project },
        limit: MAX_FOUND_RECORDS,
        spread: { minRecords: MAX_FOUND_RECORDS, maxPerRecord: 1 },
      };
      const { passages } = await store.search.retrieve(namespace, { queries: [query], load: true });
      for (const { record } of passages) ids.add(record.id);
    }
  }
  return [...ids];
}

/** The first records, by id, that name one of the keys. A record may both mention a name and have it as a phrase. */
export async function recordsNaming(
  graph: StoreGraph,
  namespace: string,
  request: Omit<NamingRequest, 'limit' | 'max'>,
  limit: number,
): Promise<number[]> {
  const found = await graph.namings(namespace, { ...request, limit: 2 * limit, max: 1 });
  const records = [...found.values()].flatMap(({ places }) => places.map(({ record }) => record));
  return [...new Set(records)].sort((a, b) => a - b).slice(0, limit);
}

/** The terms of a name in the index. The last character of a CJK name is a term only if it is the only one. */
function phraseOf(name: string): string[] {
  const tokens = analyze(name);
  const queried = tokens.filter(({ kind }) => kind !== 'tail');
  return (queried.length === 0 ? tokens : queried).slice(0, MAX_PHRASE_TERMS).map(({ term }) => term);
}

/** Titles and aliases by their first word. */
export class ClaimIndex {
  readonly #byFirstWord: ReadonlyMap<
    string,
    readonly { readonly key: string; readonly words: readonly string[] }[]
  >;

  constructor(claims: readonly Pick<StoredName, 'key'>[]) {
    const keys = [...new Set(claims.map(({ key }) => key))];
    this.#byFirstWord = Map.groupBy(
      keys.map((key) => ({ key, words: key.split(' ') })),
      ({ words }) => words[0]!,
    );
  }

  /** The keys all of whose words a text has: thousands of titles may begin with the same word. */
  withWords(words: ReadonlySet<string>): string[] {
    const isIn = (word: string): boolean => word === BREAK || words.has(word);
    return [...words].flatMap((first) =>
      (this.#byFirstWord.get(first) ?? []).filter((name) => name.words.every(isIn)).map(({ key }) => key),
    );
  }
}

/**
 * The names of other records that each text mentions, of the names that are in the store.
 * @param claimsOf the names of a project that may be in texts with these words; by default those that begin with one of them
 */
export async function mentionsOfRecords(
  options: ConceptOptions,
  records: readonly LociRecord[],
  claimsOf = async (project: string, firstWords: readonly string[]): Promise<ClaimIndex> =>
    new ClaimIndex(
      await options.store.graph.conceptNames(options.namespace, { project, only: { firstWords } }),
    ),
): Promise<Map<number, ConceptMention[]>> {
  const { store, namespace } = options;
  const mentions = new Map<number, ConceptMention[]>();
  for (const [project, own] of Map.groupBy(records, (record) => record.project)) {
    const texts = own.map(({ origin, content }) => ({ origin, content }));
    const words = new Set(await runInGroups(options, RECORD_WORDS, texts, lengthOf));
    const keys = (await claimsOf(project, [...words])).withWords(words);
    const stored = await store.graph.recordConcepts(
      namespace,
      own.map(({ id }) => id),
    );
    const named = own.map(({ id, origin, content }) => ({ origin, content, own: stored.get(id)?.names ?? [] })); // prettier-ignore
    const found = await runInGroups(options, RECORD_MENTIONS, named, lengthOf, keys);
    own.forEach(({ id }, i) => mentions.set(id, found[i]!));
  }
  return mentions;
}
