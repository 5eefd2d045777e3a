import { z } from 'zod';
import { parseJson } from '../../core/json.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import type {
  ConceptUpdate,
  RecordNames,
  ConceptMention,
  ProjectName,
  StoredName,
} from '../../store/concept-model.ts';
import type { GraphState } from '../../store/graph-model.ts';
import type { RecordChange, Fence } from '../../store/model.ts';
import { CONCEPT_RULES, namesOfRecords, lengthOf, RECORD_MENTIONS, RECORD_WORDS } from './record-names.ts';
import { runInGroups, type TaskRunner } from '../../core/threads/task-thread.ts';
import { analyze } from '../../core/text/analyze.ts';
import { BREAK } from '../../core/names/name.ts';
import type { Store } from '../../store/store.ts';
import { isOwnName } from './concepts.ts';

/** Records of one commit. A larger one would hold up the writes and searches of others for longer. */
const BATCH = 64;
/** After more changes than this, names and mentions of all records are derived again. */
const MAX_INCREMENTAL_CHANGES = 1000;

/** Whether nothing waits to be derived. */
export function isConceptsCurrent(state: GraphState): boolean {
  const { conceptsUpTo, conceptRules, changedNames, lastChange } = state;
  const isDerived = conceptsUpTo === lastChange && conceptRules === CONCEPT_RULES && changedNames === 0;
  return isDerived || lastChange === 0;
}

/** The share of the records whose names and mentions are derived, from 0 to 1. @param highestId of a record */
export function conceptShare(state: GraphState, highestId: number): number {
  if (state.conceptRules === CONCEPT_RULES) return state.conceptsUpTo / Math.max(1, state.lastChange);
  const pass = passSchema.safeParse(parseJson(state.conceptRules)).data;
  if (pass === undefined) return 0;
  return (pass.lane === 'names' ? 0 : 0.5) + (0.5 * (pass.after ?? 0)) / Math.max(1, highestId);
}

/**
 * Derives the names and mentions of the records that have changed. A changed note costs its own text, and the texts in which full
 * text finds a title or alias that is new. It commits with each batch, so that a derivation that was interrupted continues.
 * @throws LociError `aborted`, `conflict` when the lease was lost, and the errors of the store
 */
export async function deriveConcepts(options: ConceptOptions): Promise<void> {
  const state = await options.store.graph.state(options.namespace);
  if (isConceptsCurrent(state)) return;
  const { conceptsUpTo, conceptRules } = state;
  const isFollowed =
    conceptRules === CONCEPT_RULES && conceptsUpTo > 0 && (await follow(options, conceptsUpTo));
  if (!isFollowed) await follow(options, await deriveAll(options, conceptRules));
  await searchForChangedNames(options);
}

async function commitConcepts(
  { store, namespace, fence }: ConceptOptions,
  concepts: ConceptUpdate,
): Promise<void> {
  await store.records.commit(namespace, { concepts, ...(fence !== undefined && { fence }) });
}

/** Follows the change feed. Returns `false` when it is quicker to begin anew, or when the feed cannot be followed. */
async function follow(options: ConceptOptions, from: number): Promise<boolean> {
  const { store, namespace } = options;
  const ahead = await store.records.changes(namespace, { after: from, limit: MAX_INCREMENTAL_CHANGES + 1 });
  if (ahead.mustRestart || ahead.changes.length > MAX_INCREMENTAL_CHANGES) return false;
  for (let i = 0; i < ahead.changes.length; i += BATCH) {
    assertNotAborted(options);
    await deriveBatch(options, ahead.changes.slice(i, i + BATCH));
  }
  return true;
}

async function deriveBatch(options: ConceptOptions, changes: readonly RecordChange[]): Promise<void> {
  const { store, namespace, now } = options;
  const ids = changes.map(({ record }) => record);
  const records = await store.records.get(namespace, ids, { liveAt: now, damaged: 'is empty' });
  const none = ids.map((id) => [id, null] as const);
  const names = new Map<number, RecordNames | null>([...none, ...(await namesById(options, records))]);
  await commitConcepts(options, { names });
  const mentions = await mentionsOfRecords(options, records);
  await commitConcepts(options, {
    mentions,
    progress: { upTo: changes.at(-1)!.sequence, rules: CONCEPT_RULES },
  });
}

/** How far a derivation of all records is. It is stored in the place of the rules until all are derived. */
const passSchema = z.object({
  rules: z.literal(CONCEPT_RULES),
  /** The last change of a record when it began. */
  lastChange: z.number(),
  lane: z.enum(['names', 'mentions']),
  /** The last record of the lane that is derived; `null` for none. */
  after: z.number().nullable(),
});
type Pass = z.infer<typeof passSchema>;

/**
 * Derives the names of all records, then the mentions: a text may name any note. Continues where an interrupted derivation was;
 * records that changed meanwhile are in the change feed after the returned change.
 */
async function deriveAll(options: ConceptOptions, conceptRules: string): Promise<number> {
  const { store, namespace, now } = options;
  const { lastChange } = await store.records.bounds(namespace);
  const stored = passSchema.safeParse(parseJson(conceptRules)).data;
  const count = await store.records.count(namespace, { now });
  const claims = claimedNames(options);
  const progress = (pass: Pass): ConceptUpdate => ({ progress: { upTo: 0, rules: JSON.stringify(pass) } });
  let pass: Pass = stored ?? { rules: CONCEPT_RULES, lastChange, lane: 'names', after: null };
  if (stored === undefined) await commitConcepts(options, progress(pass));
  let done = 0;
  for (const lane of ['names', 'mentions'] as const) {
    if (lane === 'names' && pass.lane === 'mentions') continue;
    if (lane !== pass.lane) pass = { ...pass, lane, after: null };
    for await (const { records, last } of pagesOfRecords(options, pass.after)) {
      pass = { ...pass, after: last };
      const derived =
        lane === 'mentions'
          ? { mentions: await mentionsOfRecords(options, records, claims) }
          : { names: await namesById(options, records) };
      await commitConcepts(options, { ...derived, ...progress(pass) });
      done += records.length;
      options.onProgress?.({ stage: 'relating', subject: namespace, done, total: Math.max(done, 2 * count) });
    }
  }
  await commitConcepts(options, {
    searched: 'all',
    progress: { upTo: pass.lastChange, rules: CONCEPT_RULES },
  });
  return pass.lastChange;
}

async function namesById(
  options: ConceptOptions,
  records: readonly LociRecord[],
): Promise<Map<number, RecordNames>> {
  const read = await namesOfRecords(options, records);
  return new Map(records.map(({ id }, i) => [id, read[i]!]));
}

/** @param first the record before the first page; `null` to begin with the first record */
async function* pagesOfRecords(
  options: ConceptOptions,
  first: number | null,
): AsyncGenerator<{ readonly records: LociRecord[]; readonly last: number }> {
  const { store, namespace, now } = options;
  for (let after = first; ;) {
    assertNotAborted(options);
    const page: LociRecord[] = await store.records.list(
      namespace,
      { scan: 'undeleted' },
      { after, limit: BATCH },
    );
    const last = page.at(-1);
    if (last === undefined) return;
    yield { records: page.filter(({ expiresAt }) => expiresAt === null || expiresAt > now), last: last.id };
    after = last.id;
  }
}

/** Derives the mentions of the texts that may have names that records got, or mention names that they lost. */
async function searchForChangedNames(options: ConceptOptions): Promise<void> {
  const { store, namespace, now } = options;
  for (;;) {
    assertNotAborted(options);
    const { names: changed } = (await store.graph.state(namespace, BATCH)).waiting;
    if (changed.length === 0) return;
    const found = await recordsWithNames(options, changed);
    for (let i = 0; i < found.length; i += BATCH) {
      const records = await store.records.get(namespace, found.slice(i, i + BATCH), {
        liveAt: now,
        damaged: 'is empty',
      });
      await commitConcepts(options, { mentions: await mentionsOfRecords(options, records) });
    }
    await commitConcepts(options, { searched: changed });
  }
}

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
async function recordsWithNames(
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
    const texts = rows.filter((row) => isOwnName(row) && wanted.has(row.key)).map(({ text }) => text);
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

/** The names of a project, at least those all of whose words are among these. */
type FindNames = (project: string, words: ReadonlySet<string>) => Promise<readonly Pick<StoredName, 'key'>[]>;

/**
 * The names of other records that each text mentions, of the names that are in the store.
 * @param findNames by default for few records: reads the names that begin with a word of the texts
 */
export async function mentionsOfRecords(
  options: ConceptOptions,
  records: readonly LociRecord[],
  findNames: FindNames = (project, words) =>
    options.store.graph.conceptNames(options.namespace, { project, only: { firstWords: [...words] } }),
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
    const words = new Set(await runInGroups(options, RECORD_WORDS, texts, lengthOf));
    const names = withWords(await findNames(project, words), words);
    const found = await runInGroups(options, RECORD_MENTIONS, texts, lengthOf, names);
    ids.forEach((id, i) => mentions.set(id, found[i]!));
  }
  return mentions;
}

/** The keys all of whose words the texts have: thousands of names may begin with the same word. */
export function withWords(names: readonly Pick<StoredName, 'key'>[], words: ReadonlySet<string>): string[] {
  const isIn = (word: string): boolean => word === BREAK || words.has(word);
  const keys = [...new Set(names.map(({ key }) => key))];
  return keys.filter((key) => key.split(' ').every(isIn));
}

function firstWord(key: string): string {
  const end = key.indexOf(' ');
  return end === -1 ? key : key.slice(0, end);
}

/** Reads the titles and aliases of a project once, by their first words, for a pass over all records. */
function claimedNames({ store, namespace }: ConceptOptions): FindNames {
  const read = new Map<string, Promise<Map<string, Pick<StoredName, 'key'>[]>>>();
  const byFirstWord = async (project: string): Promise<Map<string, Pick<StoredName, 'key'>[]>> =>
    Map.groupBy(await store.graph.conceptNames(namespace, { project, only: 'claims' }), ({ key }) =>
      firstWord(key),
    );
  return async (project, words) => {
    const names = read.get(project) ?? byFirstWord(project);
    read.set(project, names);
    const known = await names;
    return [...words].flatMap((word) => known.get(word) ?? []);
  };
}
