import { analyze } from '../../core/text/analyze.ts';
import type { LociRecord } from '../../core/types.ts';
import type { ConceptMention, RecordNames } from '../../store/concept-model.ts';
import { type ChangedNames, operatorNames } from './changed-names.ts';
import type { ConceptOptions } from './concept-options.ts';
import { namesOfRecords, RECORD_MENTIONS, RECORD_WORDS } from './record-names.ts';

/** A name that more records have is too common for edges. */
const MAX_FOUND_RECORDS = 1000;
/** Longer names are searched for by their first terms. */
const MAX_PHRASE_TERMS = 12;
const FIELDS = { title: 0, headings: 1, body: 1, tags: 0 };

/**
 * The other records whose mentions may differ: those in which the full-text index finds a name that was added, and those that
 * mention one that is gone, in which a shorter name may have been hidden.
 */
export async function recordsWithNames(
  { store, namespace, now }: ConceptOptions,
  changed: readonly ChangedNames[],
  except: ReadonlySet<number>,
): Promise<LociRecord[]> {
  const ids = new Set<number>();
  for (const { project, added, dead } of changed) {
    const page = { after: null, limit: MAX_FOUND_RECORDS };
    for (const id of await store.graph.recordsNaming(namespace, project, dead, page))
      if (!except.has(id)) ids.add(id);
    for (const name of added.values()) {
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
      for (const { record } of passages) if (!except.has(record.id)) ids.add(record.id);
    }
  }
  return ids.size === 0 ? [] : store.records.get(namespace, [...ids], { liveAt: now });
}

/** The terms of a name in the index. The last character of a CJK name is a term only if it is the only one. */
function phraseOf(name: string): string[] {
  const tokens = analyze(name);
  const queried = tokens.filter(({ kind }) => kind !== 'tail');
  return (queried.length === 0 ? tokens : queried).slice(0, MAX_PHRASE_TERMS).map(({ term }) => term);
}

/**
 * The names of other records that each text mentions.
 * @param names of records that the store does not have yet; the others are read from the records
 */
export async function mentionsOfRecords(
  options: ConceptOptions,
  records: readonly LociRecord[],
  names: ReadonlyMap<number, RecordNames | null> | null,
  changed: readonly ChangedNames[],
): Promise<Map<number, ConceptMention[]>> {
  const { store, namespace, thread, signal } = options;
  const changes = await store.graph.conceptChanges(namespace);
  const mentions = new Map<number, ConceptMention[]>();
  for (const [project, own] of Map.groupBy(records, (record) => record.project)) {
    const batch = changed.find((each) => each.project === project);
    const dead = new Set(batch?.dead);
    const keys = [
      ...(await store.graph.conceptKeys(namespace, project, await wordsOf(options, own))),
      ...(batch?.added.keys() ?? []),
      ...operatorNames(changes, project).keys(),
    ];
    const living = keys.filter((key) => !dead.has(key));
    const named = own.map((record) => names?.get(record.id) ?? null);
    const read = await namesOfRecords(
      options,
      own.filter((_, i) => named[i] === null),
    );
    const ownNames = named.map((each) => each ?? read.shift()!);
    await Promise.all(
      own.map(async ({ id, origin, content }, i) => {
        const task = [{ origin, content }, ownNames[i]!.names, living] as const;
        mentions.set(id, await thread.run(RECORD_MENTIONS, [...task], { size: content.length, signal }));
      }),
    );
  }
  return mentions;
}

async function wordsOf(
  { thread, signal }: ConceptOptions,
  records: readonly LociRecord[],
): Promise<string[]> {
  const words = await Promise.all(
    records.map(({ origin, content }) =>
      thread.run(RECORD_WORDS, [{ origin, content }], { size: content.length, signal }),
    ),
  );
  return [...new Set(words.flat())];
}
