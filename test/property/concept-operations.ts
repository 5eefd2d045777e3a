import fc from 'fast-check';
import {
  type ConceptChange,
  type ConceptMention,
  type ConceptName,
  type ConceptUpdate,
  NAME_KINDS,
  type RecordNames,
} from '../../src/store/concept-model.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { namespace, type RecordRef, recordRef, time, word } from './arbitraries.ts';

/** A commit of names, mentions and changes of concepts. */
export interface ConceptOperation {
  readonly kind: 'commitConcepts';
  readonly namespace: string;
  readonly names: readonly (readonly [record: RecordRef, names: RecordNames | null])[];
  readonly mentions: readonly (readonly [record: RecordRef, mentions: readonly ConceptMention[]])[];
  readonly update: Pick<ConceptUpdate, 'searched' | 'progress'>;
  readonly changes: readonly ConceptChange[];
}

const PROJECTS = ['p', 'q'] as const;
const KEYS = ['oven', 'oven door', 'ovens', 'kitchen', 'straße', '数据库', '\u{1F600}', '\uFFFD'];

const project = fc.constantFrom(...PROJECTS);
const key = fc.constantFrom(...KEYS);
const note = fc.constantFrom('n_1', 'n_2', null);
const keys = fc.uniqueArray(key, { maxLength: 3 });
const line = fc.integer({ min: 1, max: 9 });

const names: fc.Arbitrary<RecordNames> = fc.record({
  project,
  note,
  names: fc.uniqueArray(
    fc.record<ConceptName>({ key, text: word, kind: fc.constantFrom(...NAME_KINDS), line: fc.option(line) }),
    { maxLength: 4, selector: (name) => name.key },
  ),
});

const mentions: fc.Arbitrary<ConceptMention[]> = fc.uniqueArray(
  fc.record({ key, line, count: fc.integer({ min: 1, max: 3 }) }),
  { maxLength: 4, selector: (mention) => mention.key },
);

const CHANGE_IDS = ['c1', 'c2', 'c3', 'c4'];

const change: fc.Arbitrary<ConceptChange> = fc
  .tuple(
    fc.record({
      id: fc.constantFrom(...CHANGE_IDS),
      at: time,
      actor: fc.constantFrom('ada', 'bob'),
      surface: fc.constantFrom('cli', 'mcp'),
      project,
    }),
    fc.oneof(
      fc.record({ kind: fc.constant('merge' as const), into: key, from: keys }),
      fc.record({ kind: fc.constant('split' as const), from: key, names: keys }),
      fc.record({ kind: fc.constant('rename' as const), concept: key, label: word }),
      fc.record({ kind: fc.constant('undo' as const), change: fc.constantFrom(...CHANGE_IDS) }),
    ),
  )
  .map(([base, detail]) => ({ ...base, ...detail }));

const searched = fc.oneof(
  fc.array(fc.record({ project, key }), { maxLength: 3 }),
  fc.constant('all' as const),
);

export const conceptOperation: fc.Arbitrary<ConceptOperation> = fc.record({
  kind: fc.constant('commitConcepts' as const),
  namespace,
  names: fc.array(fc.tuple(recordRef, fc.option<RecordNames>(names, { freq: 5 })), {
    maxLength: 5,
  }),
  mentions: fc.array(fc.tuple(recordRef, mentions), { maxLength: 4 }),
  update: fc.record(
    {
      searched,
      progress: fc.record({ upTo: fc.nat(9), rules: fc.constantFrom('', '1') }),
    },
    { requiredKeys: [] },
  ),
  changes: fc.array(change, { maxLength: 2 }),
});

/** @param idOf the id of a record that a reference means */
export async function runConceptOperation(
  store: Oracle,
  { namespace: ns, changes, ...operation }: ConceptOperation,
  idOf: (record: RecordRef) => number,
): Promise<unknown> {
  return store.records.commit(ns, {
    conceptChanges: changes,
    concepts: {
      ...operation.update,
      names: new Map(operation.names.map(([record, own]) => [idOf(record), own])),
      mentions: new Map(operation.mentions.map(([record, found]) => [idOf(record), found])),
    },
  });
}

/** Everything that a store says about concepts. */
export async function observeConcepts({ graph }: Oracle, ns: string): Promise<unknown> {
  const ids = Array.from({ length: 60 }, (_, i) => i + 1);
  const ofProjects = PROJECTS.map(async (each) => ({
    names: await graph.conceptNames(ns, { project: each }),
    some: await graph.conceptNames(ns, { project: each, only: { keys: KEYS.slice(0, 3), notes: ['n_1'] } }),
    keysOfWords: await graph.conceptKeys(ns, each, ['oven', '\u{1F600}']),
    frequencies: await graph.nameFrequencies(ns, each, [...KEYS, 'unknown']),
    cappedFrequencies: await graph.nameFrequencies(ns, each, KEYS, [], 1),
    namings: await graph.namings(ns, each, KEYS, 2),
    naming: await graph.recordsNaming(ns, each, KEYS, { after: null, limit: 100 }),
    someNaming: await graph.recordsNaming(ns, each, KEYS.slice(0, 2), { after: 2, limit: 2 }),
  }));
  return {
    projects: await Promise.all(ofProjects),
    records: await graph.recordConcepts(ns, ids),
    state: await graph.conceptState(ns),
    changed: await graph.changedNames(ns, 100),
    firstChanged: await graph.changedNames(ns, 2),
    places: await graph.linePlaces(
      ns,
      ids.flatMap((record) => [null, 1, 9].map((line) => ({ record, line }))),
    ),
    changes: await graph.conceptChanges(ns),
  };
}
