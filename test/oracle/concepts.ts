import { createHash } from 'node:crypto';
import type {
  ConceptChange,
  ConceptMention,
  ConceptProgress,
  ConceptUpdate,
  Naming,
  ProjectName,
  RecordConcepts,
  RecordNames,
  StoreConcepts,
  StoredName,
} from '../../src/store/concept-model.ts';
import type { GraphProvenance } from '../../src/store/graph-model.ts';
import { byCodePoint, type Namespace, type OracleState, passagesOf } from './state.ts';

export interface OracleConcepts {
  records: Map<number, RecordConcepts>;
  /** The project and key, as JSON. */
  changed: Set<string>;
  progress: ConceptProgress;
}

export function emptyConcepts(): OracleConcepts {
  return { records: new Map(), changed: new Set(), progress: { upTo: 0, rules: '' } };
}

export function putConceptChanges(namespace: Namespace, changes: readonly ConceptChange[]): void {
  for (const change of changes)
    if (!namespace.conceptChanges.has(change.id)) namespace.conceptChanges.set(change.id, change);
}

export function putConcepts(namespace: Namespace, update: ConceptUpdate): void {
  const { concepts } = namespace;
  const { names = new Map(), mentions = new Map(), searched = [], progress } = structuredClone(update);
  for (const [record, own] of names) {
    const isLive = namespace.records.get(record)?.record.deletedAt === null;
    if (own === null || !isLive) removeConcepts(namespace, record);
    else {
      const before = concepts.records.get(record);
      noteChanged(concepts, claimsOf(before), claimsOf(own));
      concepts.records.set(record, { mentions: before?.mentions ?? [], ...own });
    }
  }
  for (const [record, found] of mentions) replaceMentions(concepts, record, found);
  if (searched === 'all') concepts.changed.clear();
  else for (const { project, key } of searched) concepts.changed.delete(JSON.stringify([project, key]));
  if (progress !== undefined) concepts.progress = { upTo: progress.upTo, rules: progress.rules };
}

/** Titles and aliases with their project, as JSON. */
function claimsOf(own: RecordNames | undefined): Set<string> {
  const claims = own?.names.filter(isClaim) ?? [];
  return new Set(claims.map(({ key }) => JSON.stringify([own!.project, key])));
}

function noteChanged({ changed }: OracleConcepts, before: Set<string>, after: Set<string>): void {
  for (const name of before) if (!after.has(name)) changed.add(name);
  for (const name of after) if (!before.has(name)) changed.add(name);
}

function replaceMentions(
  { records }: OracleConcepts,
  record: number,
  mentions: readonly ConceptMention[],
): void {
  const own = records.get(record);
  if (own !== undefined) records.set(record, { ...own, mentions });
}

export function removeConcepts({ concepts }: Namespace, record: number): void {
  noteChanged(concepts, claimsOf(concepts.records.get(record)), new Set());
  concepts.records.delete(record);
}

function naming({ records }: OracleConcepts, project: string, key: string): number[] {
  return [...records]
    .filter(
      ([, each]) =>
        each.project === project &&
        (each.mentions.some((mention) => mention.key === key) ||
          each.names.some((name) => name.key === key && isSpoken(name))),
    )
    .map(([record]) => record);
}

function changesOf({ conceptChanges }: Namespace): ConceptChange[] {
  const changes = [...conceptChanges.values()];
  return structuredClone(changes.sort((a, b) => a.at - b.at || byCodePoint(a.id, b.id)));
}

function isClaim({ kind }: { kind: string }): boolean {
  return kind === 'title' || kind === 'alias';
}

function isSpoken({ kind }: { kind: string }): boolean {
  return kind === 'tag' || kind === 'phrase' || kind === 'opening';
}

/** Tags, phrases and words by spelling, in place of by record. */
function spelled(rows: readonly StoredName[]): StoredName[] {
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify([row.key, row.kind, row.text, isClaim(row) ? row.record : null]),
  );
  return [...groups.values()]
    .map((group) => ({ ...group[0]!, note: isClaim(group[0]!) ? group[0]!.note : null, count: group.length }))
    .sort(
      (a, b) =>
        a.record - b.record ||
        byCodePoint(a.key, b.key) ||
        byCodePoint(a.kind, b.kind) ||
        byCodePoint(a.text, b.text),
    );
}

/** Whether records share a name, which all of these rows have. */
function isShared(rows: readonly { key: string; kind: string }[]): boolean {
  const count = (...kinds: readonly string[]): number =>
    rows.filter(({ kind }) => kinds.includes(kind)).length;
  const likely = rows[0]!.key.includes(' ') ? count('phrase', 'opening') : count('phrase');
  return count('tag', 'phrase', 'opening') > 1 && (count('tag') > 0 || likely > count('word'));
}

export function conceptCalls(state: OracleState): StoreConcepts {
  const conceptsOf = (name: string): OracleConcepts => structuredClone(state.read(name).concepts);
  return {
    conceptNames: async (name, { project, only }) => {
      const records = [...conceptsOf(name).records].filter(([, each]) => each.project === project);
      const rows = records
        .sort(([a], [b]) => a - b)
        .flatMap(([record, { note, names }]) =>
          names.map(({ key, text, kind }) => ({ key, text, kind, record, project, note, count: 1 })),
        );
      if (only === undefined)
        return spelled(
          rows.filter(
            (row) =>
              isClaim(row) || isShared(rows.filter((other) => other.key === row.key && !isClaim(other))),
          ),
        );
      const notes = new Set(
        rows.filter((row) => isClaim(row) && only.keys.includes(row.key)).map(({ record }) => record),
      );
      for (const [record, { note }] of records)
        if (note !== null && only.notes.includes(note)) notes.add(record);
      return spelled(
        rows.filter((row) => (isClaim(row) ? notes.has(row.record) : only.keys.includes(row.key))),
      );
    },
    conceptKeys: async (name, project, firstWords) => {
      const keys = [...conceptsOf(name).records.values()]
        .filter((each) => each.project === project)
        .flatMap(({ names }) => names.filter(isClaim).map(({ key }) => key))
        .filter((key) => firstWords.includes(key.split(' ')[0]!));
      return [...new Set(keys)].sort(byCodePoint);
    },
    recordConcepts: async (name, ids) => {
      const { records } = conceptsOf(name);
      return new Map(
        ids.flatMap((id) => {
          const found = records.get(id);
          if (found === undefined) return [];
          const byKey = (a: { key: string }, b: { key: string }): number => byCodePoint(a.key, b.key);
          const sorted = {
            project: found.project,
            note: found.note,
            names: [...found.names].sort(byKey),
            mentions: [...found.mentions].sort(byKey),
          };
          return [[id, sorted] as const];
        }),
      );
    },
    nameFrequencies: async (name, project, keys, _, max = Infinity) => {
      const concepts = conceptsOf(name);
      return new Map(keys.map((key) => [key, Math.min(max, naming(concepts, project, key).length)]));
    },
    recordsNaming: async (name, project, keys, { after, limit }) => {
      const concepts = conceptsOf(name);
      const found = new Set(keys.flatMap((key) => naming(concepts, project, key)));
      return [...found]
        .filter((id) => after === null || id > after)
        .sort((a, b) => a - b)
        .slice(0, limit);
    },
    namings: async (name, project, keys, limit) => {
      const records = [...conceptsOf(name).records]
        .filter(([, each]) => each.project === project)
        .sort(([a], [b]) => a - b);
      return [...new Set(keys)].flatMap((key) =>
        records
          .flatMap(([record, { mentions, names }]): Naming[] => [
            ...mentions
              .filter((mention) => mention.key === key)
              .map((mention) => ({ record, text: null, kind: 'mention' as const, ...mention })),
            ...names
              .filter((each) => each.key === key && isSpoken(each))
              .map((each) => ({ record, count: 1, ...each, kind: each.kind as Naming['kind'] })),
          ])
          .slice(0, limit),
      );
    },
    linePlaces: async (name, lines) => {
      const namespace = state.read(name);
      return lines.flatMap(({ record, line }): GraphProvenance[] => {
        const own = namespace.records.get(record)?.record;
        if (own === undefined) return [];
        if (line === null) return [{ record, passage: null, lines: null, hash: own.contentHash }];
        const text = own.content.split('\n')[line - 1]?.replace(/\r$/, '') ?? '';
        const passage = passagesOf(namespace, record)
          .map((each) => each.passage)
          .findLast(({ startLine, endLine }) => startLine <= line && line <= endLine);
        const hash = createHash('sha256').update(text).digest('hex');
        return [{ record, passage: passage?.ordinal ?? null, lines: { first: line, last: line }, hash }];
      });
    },
    conceptState: async (name) => {
      const { progress, changed } = conceptsOf(name);
      return { ...progress, changed: changed.size };
    },
    changedNames: async (name, limit) =>
      [...conceptsOf(name).changed]
        .map((each) => JSON.parse(each) as [string, string])
        .map(([project, key]): ProjectName => ({ project, key }))
        .sort((a, b) => byCodePoint(a.project, b.project) || byCodePoint(a.key, b.key))
        .slice(0, limit),
    conceptChanges: async (name) => changesOf(state.read(name)),
  };
}
