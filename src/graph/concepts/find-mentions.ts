import { randomUUID } from 'node:crypto';
import type { ProgressOptions } from '../../core/progress.ts';
import { runInGroups, type TaskRunner } from '../../core/threads/task-thread.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { BREAK } from '../../core/names/name.ts';
import type { ConceptMention, ProjectName, StoredName } from '../../store/concept-model.ts';
import type { Fence } from '../../store/model.ts';
import type { Store } from '../../store/store.ts';
import { isClaim } from './concepts.ts';
import { lengthOf, type NamedText, PASS_MENTIONS, RECORD_MENTIONS, RECORD_WORDS } from './record-names.ts';

/** A name that more records have is too common for edges. */
const MAX_FOUND_RECORDS = 1000;
/** Longer names are searched for by their first terms. */
const MAX_PHRASE_TERMS = 12;
const FIELDS = { title: 0, headings: 1, body: 1, tags: 0 };

/** What the derivation of concepts needs. */
export interface ConceptOptions extends ProgressOptions {
  readonly store: Pick<Store, 'records' | 'graph' | 'search'>;
  readonly namespace: string;
  /** Reads long texts. */
  readonly thread: TaskRunner;
  readonly now: Timestamp;
  /** The store refuses to write after another process has taken over this lease. */
  readonly fence?: Fence;
}

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
    const namings = { project, keys, limit: 2 * MAX_FOUND_RECORDS, max: 1 };
    for (const { places } of (await store.graph.namings(namespace, namings)).values())
      for (const { record } of places) ids.add(record);
    const rows = await store.graph.conceptNames(namespace, { project, only: { keys } });
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

/** The terms of a name in the index. The last character of a CJK name is a term only if it is the only one. */
function phraseOf(name: string): string[] {
  const tokens = analyze(name);
  const queried = tokens.filter(({ kind }) => kind !== 'tail');
  return (queried.length === 0 ? tokens : queried).slice(0, MAX_PHRASE_TERMS).map(({ term }) => term);
}

/** Finds the names of other records of a project in its texts. */
type FindMentions = (
  options: ConceptOptions,
  project: string,
  texts: readonly NamedText[],
) => Promise<ConceptMention[][]>;

/** The names of other records that each text mentions, of the names that are in the store. @param find by default for few records */
export async function mentionsOfRecords(
  options: ConceptOptions,
  records: readonly LociRecord[],
  find: FindMentions = findByWords,
): Promise<Map<number, ConceptMention[]>> {
  const { store, namespace } = options;
  const mentions = new Map<number, ConceptMention[]>();
  for (const [project, own] of Map.groupBy(records, (record) => record.project)) {
    const ids = own.map(({ id }) => id);
    const stored = await store.graph.recordConcepts(namespace, ids);
    const texts = own.map(({ id, origin, content }) => ({
      origin,
      content,
      own: stored.get(id)?.names ?? [],
    }));
    const found = await find(options, project, texts);
    ids.forEach((id, i) => mentions.set(id, found[i]!));
  }
  return mentions;
}

/** Reads only the names that begin with a word of the texts. */
async function findByWords(
  options: ConceptOptions,
  project: string,
  texts: readonly NamedText[],
): Promise<ConceptMention[][]> {
  const words = new Set(await runInGroups(options, RECORD_WORDS, texts, lengthOf));
  const only = { firstWords: [...words] };
  const names = await options.store.graph.conceptNames(options.namespace, { project, only });
  return runInGroups(options, RECORD_MENTIONS, texts, lengthOf, withWords(names, words));
}

/** The keys all of whose words the texts have: thousands of names may begin with the same word. */
export function withWords(names: readonly Pick<StoredName, 'key'>[], words: ReadonlySet<string>): string[] {
  const isIn = (word: string): boolean => word === BREAK || words.has(word);
  const keys = [...new Set(names.map(({ key }) => key))];
  return keys.filter((key) => key.split(' ').every(isIn));
}

/** Above this number of names, the thread is told to release them after the pass. */
const MANY_NAMES = 5000;

/** Reads the names of a project once, for a pass over all records. The thread that finds them keeps them for the next texts. */
export class MentionPass implements AsyncDisposable {
  readonly #id = randomUUID();
  readonly #options: ConceptOptions;
  readonly #keys = new Map<string, Promise<string[]>>();
  #count = 0;

  constructor(options: ConceptOptions) {
    this.#options = options;
  }

  readonly find: FindMentions = async (options, project, texts) => {
    const known = await runInGroups(options, PASS_MENTIONS, texts, lengthOf, this.#id, project, null);
    if (known.length === texts.length) return known;
    const keys = this.#keys.get(project) ?? this.#read(project);
    this.#keys.set(project, keys);
    return runInGroups(options, PASS_MENTIONS, texts, lengthOf, this.#id, project, await keys);
  };

  async #read(project: string): Promise<string[]> {
    const { store, namespace } = this.#options;
    const names = await store.graph.conceptNames(namespace, { project, only: 'claims' });
    const keys = [...new Set(names.map(({ key }) => key))];
    this.#count += keys.length;
    return keys;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const size = this.#count > MANY_NAMES ? Infinity : 0;
    // A thread that was closed has released them already.
    await this.#options.thread.run(PASS_MENTIONS, [[], '', '', null], { size }).catch(() => undefined);
  }
}
