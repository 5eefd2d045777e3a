import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConceptChange, ConceptChangeDetail, StoredName } from '../../store/concept-model.ts';
import { applyChanges, type Concept, undoneBy, whyNot } from './concept-changes.ts';
import { groupNames } from './concept-groups.ts';
import { nameKey } from '../../core/names/name.ts';

function row(record: number, kind: StoredName['kind'], text: string): StoredName {
  const note = kind === 'title' || kind === 'alias' ? `n_${String(record)}` : null;
  return { record, project: 'p', note, key: nameKey(text), text, kind, count: 1 };
}

/** Notes with a title and an alias each, one phrase, and an alias that two notes have. */
const NAMES = groupNames([
  row(1, 'title', 'Oven'),
  row(1, 'alias', 'Stove'),
  row(2, 'title', 'Furnace'),
  row(2, 'alias', 'Heater'),
  row(3, 'title', 'Boiler'),
  row(3, 'alias', 'Heater'),
  row(4, 'phrase', 'Miller Brothers'),
  row(5, 'phrase', 'Miller Brothers'),
  row(5, 'phrase', 'Only Here'),
]);

function change(id: number, detail: ConceptChangeDetail): ConceptChange {
  return { id: String(id).padStart(3, '0'), at: id, actor: 'ada', surface: 'cli', project: 'p', ...detail };
}

function conceptsAfter(...changes: ConceptChange[]): Concept[] {
  return applyChanges(NAMES, changes).state.concepts('p');
}

/** The labels and names of the concepts. */
function summary(concepts: readonly Concept[]): string[] {
  return concepts
    .map(({ label, names, records }) => {
      const texts = names.filter(({ kind }) => kind !== 'note').map(({ text }) => text);
      return `${label}: ${texts.sort().join(', ')} ${JSON.stringify(records)}`;
    })
    .sort();
}

const BEFORE = summary(conceptsAfter());
const merge = change(1, { kind: 'merge', into: 'oven', from: ['furnace'] });

describe('concepts', () => {
  it('are notes with their names, and phrases that two records share', () => {
    expect(BEFORE).toEqual([
      'Boiler: Boiler [3]',
      'Furnace: Furnace [2]',
      'Miller Brothers: Miller Brothers []',
      'Oven: Oven, Stove [1]',
    ]);
  });

  it('do not have a name that two notes claim; it is a conflict', () => {
    const conflicts = applyChanges(NAMES, []).state.conflicts();
    expect(conflicts).toEqual([
      { key: 'heater', text: 'Heater', kind: 'alias', records: [2, 3], notes: ['n_2', 'n_3'] },
    ]);
  });

  it('do not depend on the order of the rows', () => {
    const rows = [row(1, 'title', 'Oven'), row(1, 'alias', 'B'), row(2, 'title', 'Oven'), row(2, 'tag', 'b')];
    const [a, b] = [groupNames(rows), groupNames(rows.toReversed())];
    expect(applyChanges(a, []).state.concepts('p')).toEqual(applyChanges(b, []).state.concepts('p'));
  });
});

describe('a merge', () => {
  it('joins names and notes, and keeps the id of the first', () => {
    const before = conceptsAfter().find(({ label }) => label === 'Oven')!;
    const after = conceptsAfter(merge).find(({ label }) => label === 'Oven')!;
    expect(after.id).toBe(before.id);
    expect(summary([after])).toEqual(['Oven: Furnace, Oven, Stove [1,2]']);
  });

  it('settles a conflict between the notes that it joins', () => {
    const joined = applyChanges(NAMES, [change(1, { kind: 'merge', into: 'furnace', from: ['boiler'] })]);
    expect(joined.state.conflicts()).toEqual([]);
    expect(summary(joined.state.concepts('p'))).toContain('Furnace: Boiler, Furnace, Heater [2,3]');
  });

  it('is refused for a name that is disputed, unknown or of the same concept', () => {
    const reason = (from: string): string | null =>
      whyNot(NAMES, [], change(1, { kind: 'merge', into: 'oven', from: [from] }));
    expect(reason('heater')).toContain('a name of 2 notes');
    expect(reason('nothing')).toContain('no concept ‘nothing’');
    expect(reason('stove')).toContain('already a name of ‘Oven’');
  });
});

describe('a split', () => {
  it('makes names a concept of their own, with the id that the first of them had', () => {
    const furnace = conceptsAfter().find(({ label }) => label === 'Furnace')!;
    const split = change(2, { kind: 'split', from: 'oven', names: ['n_2', 'furnace'] });
    expect(conceptsAfter(merge, split)).toContainEqual(furnace);
    expect(summary(conceptsAfter(merge, split))).toEqual(BEFORE);
  });

  it('takes the label with it, after which the concept is called by its first name again', () => {
    const rename = change(1, { kind: 'rename', concept: 'oven', label: 'Backofen' });
    const split = change(2, { kind: 'split', from: 'n_1', names: ['backofen'] });
    expect(whyNot(NAMES, [rename], split)).toBeNull();
    const after = summary(conceptsAfter(rename, split));
    expect(after).toEqual([...BEFORE, 'Backofen: Backofen []'].sort());
  });

  it('is refused for the first name, and for names of other concepts', () => {
    const reason = (names: string[]): string | null =>
      whyNot(NAMES, [], change(1, { kind: 'split', from: 'oven', names }));
    expect(reason(['n_1'])).toContain('keeps its first name');
    expect(reason(['boiler'])).toContain('‘Boiler’ is not a name of ‘Oven’');
  });
});

describe('a rename', () => {
  it('gives a label, which becomes a name too', () => {
    const renamed = conceptsAfter(change(1, { kind: 'rename', concept: 'oven', label: 'Backofen' }));
    expect(summary(renamed)).toContain('Backofen: Backofen, Oven, Stove [1]');
  });

  it('is refused for the name of another concept', () => {
    expect(whyNot(NAMES, [], change(1, { kind: 'rename', concept: 'oven', label: 'boiler' }))).toContain(
      'merge them instead',
    );
  });
});

describe('an undo', () => {
  const rename = change(2, { kind: 'rename', concept: 'oven', label: 'Backofen' });
  const split = change(3, { kind: 'split', from: 'oven', names: ['furnace'] });
  const undo = (id: number, of: ConceptChange): ConceptChange => change(id, { kind: 'undo', change: of.id });

  it('may come in any order when the changes do not build on each other', () => {
    expect(whyNot(NAMES, [merge, rename], undo(8, merge))).toBeNull();
    expect(summary(conceptsAfter(merge, rename, undo(8, merge), undo(9, rename)))).toEqual(BEFORE);
    expect(summary(conceptsAfter(merge, rename, undo(8, rename), undo(9, merge)))).toEqual(BEFORE);
  });

  it('is refused while another change builds on the change, and names that one', () => {
    expect(whyNot(NAMES, [merge, split], undo(9, merge))).toContain(`the split ${split.id} builds on it`);
    expect(whyNot(NAMES, [merge, split, undo(8, split)], undo(9, merge))).toBeNull();
  });

  it('can be undone, unless its change does not make sense any more', () => {
    const undone = [merge, undo(4, merge)];
    expect(summary(conceptsAfter(...undone, undo(5, undone[1]!)))).toEqual(summary(conceptsAfter(merge)));
    const other = change(5, { kind: 'merge', into: 'furnace', from: ['oven'] });
    expect(whyNot(NAMES, [...undone, other], undo(6, undone[1]!))).toContain('builds on it');
  });

  it('restores the concepts before the change, in any sequence of changes that are allowed', () => {
    const key = fc.constantFrom(
      'oven',
      'stove',
      'furnace',
      'boiler',
      'miller brothers',
      'heater',
      'n_2',
      'n_3',
      'x',
    );
    const detail: fc.Arbitrary<ConceptChangeDetail> = fc.oneof(
      fc.record({
        kind: fc.constant('merge' as const),
        into: key,
        from: fc.array(key, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant('split' as const),
        from: key,
        names: fc.uniqueArray(key, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant('rename' as const),
        concept: key,
        label: fc.constantFrom('Aga', 'Oven', 'Ember'),
      }),
      fc.record({
        kind: fc.constant('undo' as const),
        change: fc.integer({ min: 1, max: 12 }).map((id) => String(id).padStart(3, '0')),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(detail, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (details, picks) => {
          let changes: ConceptChange[] = [];
          for (const [i, each] of details.entries()) {
            const next = change(i + 1, each);
            if (each.kind === 'undo' && (undoneBy(changes).has(each.change) || Number(each.change) > i))
              continue;
            if (whyNot(NAMES, changes, next) === null) changes = [...changes, next];
          }
          // All names are in exactly one concept, and what is allowed has an effect.
          const applied = applyChanges(NAMES, changes);
          const keys = applied.state.concepts('p').flatMap(({ names }) => names.map((name) => name.key));
          expect(new Set(keys).size).toBe(keys.length);
          expect(applied.idle.size).toBe(0);
          // Undoing everything, in whatever order is allowed, leads back to the beginning.
          for (let id = 100; id < 200; id++) {
            const undone = undoneBy(changes);
            const left = changes.filter((each) => each.kind !== 'undo' && !undone.has(each.id));
            const allowed = left
              .map((each) => undo(id, each))
              .filter((each) => whyNot(NAMES, changes, each) === null);
            if (left.length === 0) break;
            expect(allowed.length).toBeGreaterThan(0);
            changes = [...changes, allowed[picks.next().value % allowed.length]!];
          }
          expect(summary(conceptsAfter(...changes))).toEqual(BEFORE);
        },
      ),
      { numRuns: 300 },
    );
  });
});
