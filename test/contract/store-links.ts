import { describe, expect, it } from 'vitest';
import type { BelongsToProgress, NoteOfDocument } from '../../src/store/graph-model.ts';
import type { LinkSelector, RecordLink } from '../../src/store/model.ts';
import { MAX_BEARERS } from '../../src/store/rules/mention-names.ts';
import type { Store } from '../../src/store/store.ts';
import { passagesOf } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, CHUNKING, draft, evict, note, NOW, verifyStore, write } from './store-samples.ts';
import { ALL, commit, deleteRecords, fact, idsOf, restore } from './written-samples.ts';

/** A note that links to these targets. */
function noteWithLinks(key: string, ...targets: readonly string[]): ReturnType<typeof note> {
  return note(key, { key, metadata: { links: targets.map((target) => ({ target })) } });
}

async function linksOf(store: Store, namespace: string, selector: LinkSelector): Promise<RecordLink[]> {
  return store.records.links(namespace, selector, ALL);
}

/** `key → target → targetKey` of each link. */
async function linkTexts(store: Store, namespace: string, selector: LinkSelector): Promise<string[]> {
  const links = await linksOf(store, namespace, selector);
  return links.map(({ key, target, targetKey }) => `${key} → ${target} → ${targetKey ?? 'nothing'}`);
}

export function describeLinks(fixture: StoreFixture): void {
  describeLinkReads(fixture);
  describeLinkUpdates(fixture);
}

function describeLinkReads({ store, namespace }: StoreFixture): void {
  describe('links', () => {
    it('are those of the metadata, in order, with their targets', async () => {
      const ns = namespace();
      const metadata = {
        links: [
          { target: 'Oven', alias: 'it' },
          { target: 'Nowhere' },
          { target: 'Oven', embed: true },
          { target: 'Oven' },
        ],
      };
      const [id = 0] = await write(
        store,
        ns,
        note('home', { key: 'Home.md', metadata }),
        note('oven', { key: 'House/Oven.md' }),
      );
      const common = { record: id, key: 'Home.md', source: 'notes' };
      const [first] = await linksOf(store, ns, { from: [id] });
      const targetPassage = first!.targetPassage!;
      const [passage] = await passagesOf(store, ns, [targetPassage], ALL_LIVE);
      expect(passage).toMatchObject({ record: { id: 2 }, ordinal: 0 });
      const oven = { target: 'Oven', targetRecord: 2, targetKey: 'House/Oven.md', targetPassage };
      const nowhere = { target: 'Nowhere', targetRecord: null, targetKey: null, targetPassage: null };
      const links = [
        { ...common, ...oven, position: 1, type: 'link' },
        { ...common, ...nowhere, position: 2, type: 'link' },
        { ...common, ...oven, position: 3, type: 'embed' },
      ];
      expect(await linksOf(store, ns, { from: [id] })).toEqual(links);
      expect(await linksOf(store, ns, { from: [id], targets: ['Nowhere', 'Home'] })).toEqual([links[1]]);
    });

    it('find pages of Logseq by their names, and follow them', async () => {
      const ns = namespace();
      const page = (key: string, ...pageNames: string[]): ReturnType<typeof note> =>
        note(key, { key, metadata: { pageNames } });
      const links = ['garden/pond', 'koi', 'shed', 'pages/shed.md'].map((target) => ({
        target,
        ...(!target.endsWith('.md') && { page: target }),
      }));
      await write(
        store,
        ns,
        note('links', { key: 'pages/links.md', metadata: { links, pageNames: ['links'] } }),
        page('pages/Garden___Pond.md', 'garden/pond', 'koi'),
        page('pages/alias.md', 'alias', 'garden/pond', 'shed'),
        page('pages/shed.md', 'shed'),
      );
      expect(await linkTexts(store, ns, { from: [1] })).toEqual([
        'pages/links.md → garden/pond → pages/Garden___Pond.md',
        'pages/links.md → koi → pages/Garden___Pond.md',
        'pages/links.md → shed → pages/shed.md',
        'pages/links.md → pages/shed.md → pages/shed.md',
      ]);
      await evict(store, ns, 4);
      await write(store, ns, { ...page('pages/Garden___Pond.md', 'garden/pool'), id: 2 });
      const moved = [
        'pages/links.md → garden/pond → pages/alias.md',
        'pages/links.md → koi → nothing',
        'pages/links.md → shed → pages/alias.md',
        'pages/links.md → pages/shed.md → nothing',
      ];
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(moved);
      expect(await verifyStore(store)).toEqual([]);
      await store.admin.resetDerived(ns, { text: true, vectors: false });
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(moved);
    });

    it('are found by their source record, by their target record, and by having no target', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        noteWithLinks('a.md', 'b', 'x'),
        noteWithLinks('b.md', 'a', 'c'),
        noteWithLinks('c.md', 'b'),
      );
      expect(await linkTexts(store, ns, { from: [3, 1] })).toEqual([
        'a.md → b → b.md',
        'a.md → x → nothing',
        'c.md → b → b.md',
      ]);
      expect(await linkTexts(store, ns, { to: [2] })).toEqual(['a.md → b → b.md', 'c.md → b → b.md']);
      expect(await linkTexts(store, ns, { to: [1, 3, 99] })).toEqual(['b.md → a → a.md', 'b.md → c → c.md']);
      expect(await linkTexts(store, ns, { unresolved: true })).toEqual(['a.md → x → nothing']);
    });

    it('are returned in pages, by record and position', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('a.md', 'b', 'x', 'c'), noteWithLinks('b.md', 'a'));
      const first = await store.records.links(ns, { from: [1, 2] }, { after: null, limit: 2 });
      expect(first.map(({ target }) => target)).toEqual(['b', 'x']);
      const rest = await store.records.links(ns, { from: [1, 2] }, { after: first[1]!, limit: 5 });
      expect(rest.map(({ target }) => target)).toEqual(['c', 'a']);
    });

    it('do not lead to another source or namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store, ns, noteWithLinks('a.md', 'b'), note('b', { key: 'b.md', source: 'elsewhere' }));
      await write(store, other, note('b', { key: 'b.md' }));
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store, ns, { to: [2] })).toEqual([]);
      expect(await linksOf(store, namespace(), { unresolved: true })).toEqual([]);
    });

    it('do not resolve to records that no source delivered', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('a.md', 'k'), note('k', { key: 'k', origin: 'fact' }));
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(['a.md → k → nothing']);
    });
  });
}

function describeLinkUpdates({ store, namespace }: StoreFixture): void {
  describe('links are updated', () => {
    it('when a note is added, and when a better match is added', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('x/a.md', 'b'));
      await write(store, ns, note('b', { key: 'far/away/b.md' }));
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(['x/a.md → b → far/away/b.md']);
      await write(store, ns, note('b', { key: 'x/deep/b.md' }));
      expect(await linkTexts(store, ns, { from: [1] })).toEqual(['x/a.md → b → x/deep/b.md']);
      expect(await linksOf(store, ns, { to: [2] })).toEqual([]);
    });

    it('when a note is renamed or moved to another folder', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        noteWithLinks('a.md', 'b', './d'),
        note('b', { key: 'b.md' }),
        note('d', { key: 'y/d.md' }),
      );
      await write(store, ns, { ...note('b', { key: 'c.md' }), id: 2 });
      expect(await linkTexts(store, ns, { unresolved: true })).toEqual([
        'a.md → b → nothing',
        'a.md → ./d → nothing',
      ]);
      await write(store, ns, { ...noteWithLinks('y/a.md', 'c', './d'), id: 1 });
      expect(await linkTexts(store, ns, { from: [1] })).toEqual([
        'y/a.md → c → c.md',
        'y/a.md → ./d → y/d.md',
      ]);
    });

    it('when a note is removed, and its own links are removed', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a'));
      await evict(store, ns, 2);
      expect(await linkTexts(store, ns, { unresolved: true })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store, ns, { from: [2] })).toEqual([]);
      expect(await linksOf(store, ns, { to: [1] })).toEqual([]);
    });

    it('when a note is deleted and restored', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a'));
      await deleteRecords(store, ns, 2);
      expect(await linkTexts(store, ns, { unresolved: true })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store, ns, { to: [1] })).toEqual([]);
      await restore(store, ns, 2, 'b');
      expect(await linkTexts(store, ns, { from: [1, 2] })).toEqual(['a.md → b → b.md', 'b.md → a → a.md']);
    });

    it('when a live or deleted note is imported', async () => {
      const ns = namespace();
      const imported = (key: string, deletedAt: number | null): object => ({
        replaces: null,
        preferredId: null,
        draft: draft({ key, metadata: { links: [{ target: 'b' }] } }),
        deletedAt,
        passages: [],
      });
      await store.records.commit(ns, {
        imports: [imported('a.md', null), imported('b.md', 1)] as never,
        chunking: CHUNKING,
      });
      expect(await linkTexts(store, ns, { from: [1, 2] })).toEqual(['a.md → b → nothing']);
    });

    it('when derived data is rebuilt, with the same result', async () => {
      const ns = namespace();
      await write(store, ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a', 'x'));
      const before = await linksOf(store, ns, { from: [1, 2] });
      await store.admin.resetDerived(ns, { text: true, vectors: false });
      expect(await linksOf(store, ns, { from: [1, 2] })).toEqual(before);
      expect((await store.admin.verify(ns)).filter((finding) => finding.includes('link'))).toEqual([]);
    });
  });
}

async function named(store: Store, namespace: string, noteName: string): Promise<number[]> {
  const filter = { ...ALL_LIVE, noteName };
  const ids = idsOf(await store.records.list(namespace, { filter }, ALL));
  expect(await store.records.count(namespace, filter)).toBe(ids.length);
  return ids;
}

export function describeNoteNames({ store, namespace }: StoreFixture): void {
  describe('the names of a note', () => {
    it('are its title, its aliases and the name of its file, in any case and Unicode form', async () => {
      const ns = namespace();
      const canvas = { key: 'Plugins/Canvas.md', title: 'Plans', metadata: { aliases: ['Pläne', 7, ' '] } };
      await write(store, ns, note('a', canvas), note('b', { key: 'Other.md' }));
      for (const name of ['canvas', 'PLANS', ' plans ', 'PLÄNE'.normalize('NFD')])
        expect(await named(store, ns, name)).toEqual([1]);
      for (const name of ['Canvas.md', 'Plugins/Canvas', 'plan', '7', '', ' '])
        expect(await named(store, ns, name)).toEqual([]);
    });

    it('may belong to several notes, of one namespace', async () => {
      const ns = namespace();
      await write(store, ns, note('a', { key: 'a.md' }), note('b', { key: 'b.md', title: 'A' }));
      await write(store, namespace(), note('c', { key: 'x/a.md' }));
      expect(await named(store, ns, 'a')).toEqual([2, 1]);
    });

    it('are those of notes alone', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        fact('oven', 'c', 'hot'),
        note('a', { origin: 'memory', title: 'Oven', key: null }),
        note('b', { origin: 'source', title: 'Oven', key: 'oven' }),
      );
      expect(await named(store, ns, 'oven')).toEqual([]);
    });

    it('change with the note', async () => {
      const ns = namespace();
      await write(store, ns, note('a', { key: 'a.md', title: 'Old' }), note('b', { key: 'b.md' }));
      await write(store, ns, { ...note('a', { key: 'a.md', title: 'New' }), id: 1 });
      expect([await named(store, ns, 'old'), await named(store, ns, 'new')]).toEqual([[], [1]]);
      await deleteRecords(store, ns, 1);
      expect(await named(store, ns, 'new')).toEqual([]);
      await restore(store, ns, 1, 'a');
      expect(await named(store, ns, 'new')).toEqual([1]);
      await evict(store, ns, 1);
      expect([await named(store, ns, 'new'), await named(store, ns, 'b')]).toEqual([[], [2]]);
    });
  });
}

export function describeMentionNames({ store, namespace }: StoreFixture): void {
  /** The ids of the records that have one of the names. */
  const named = async (ns: string, ...names: string[]): Promise<number[]> =>
    (await store.search.named(ns, names)).map(({ record }) => record);

  describe('the names by which a text may mention a record', () => {
    it('are those of notes and memories, each with the first passage', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('a', {
          key: 'x/Oven costs.md',
          title: 'Oven (2026)',
          metadata: { aliases: ['the big stove', 7] },
        }),
        note('b', { origin: 'memory', title: 'Contractor quotes', key: null }),
        note('c', { origin: 'source', title: 'Todo list', key: 'todo' }),
      );
      for (const name of ['oven', 'oven 2026', 'oven costs']) expect(await named(ns, name)).toEqual([1]);
      const found = await store.search.named(ns, ['contractor quotes', 'oven', 'oven']);
      expect(found.map(({ name, record }) => [name, record])).toEqual([
        ['contractor quotes', 2],
        ['oven', 1],
      ]);
      const { passages } = await store.search.passages(
        ns,
        found.map(({ passage }) => passage),
        { now: 0 },
      );
      expect(passages.map(({ ordinal, record }) => [ordinal, record.id])).toEqual([
        [0, 2],
        [0, 1],
      ]);
      for (const name of ['todo list', 'the big stove', 'Oven', '7', ''])
        expect(await named(ns, name)).toEqual([]);
    });

    it('are left out if more records have the name than a mention could mean', async () => {
      const ns = namespace();
      const notes = Array.from({ length: MAX_BEARERS + 1 }, (_, i) =>
        note('x', { key: `${String(i)}/draft.md`, title: 'Draft' }),
      );
      await write(store, ns, ...notes.slice(1));
      expect(await named(ns, 'draft')).toHaveLength(MAX_BEARERS);
      await write(store, ns, notes[0]!);
      expect(await named(ns, 'draft')).toEqual([]);
    });

    it('are of one namespace and change with the record', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store, ns, note('a', { key: 'a.md', title: 'Old name' }));
      await write(store, other, note('c', { key: 'c.md', title: 'New name' }));
      await write(store, ns, { ...note('a', { key: 'a.md', title: 'New name' }), id: 1 });
      expect(await named(ns, 'old name', 'new name')).toEqual([1]);
      await deleteRecords(store, ns, 1);
      expect(await named(ns, 'new name')).toEqual([]);
      await restore(store, ns, 1, 'a');
      expect(await named(ns, 'new name')).toEqual([1]);
      await evict(store, ns, 1);
      expect(await named(ns, 'new name')).toEqual([]);
      expect(await named(other, 'new name')).toEqual([1]);
    });
  });
}

export function describeBelongsTo({ store, namespace }: StoreFixture): void {
  /** Two notes, 1 and 2, and two documents, 3 and 4. */
  async function filled(): Promise<string> {
    const ns = namespace();
    const document = { origin: 'source', source: 'tasks' } as const;
    await write(
      store,
      ns,
      note('tiles'),
      note('kitchen'),
      note(['buy tiles', 'soon'], document),
      note('call', document),
    );
    return ns;
  }
  const edge = (to: number, share: number): NoteOfDocument => ({
    note: to,
    share,
    confidence: share / 2,
  });
  const upTo = (change: number): BelongsToProgress => ({ upTo: change, excludedSources: [], pass: null });
  const notesOf = async (ns: string, document: number): Promise<number[]> =>
    (await store.records.belongsTo(ns, { documents: [document] })).map((each) => each.note);

  describe('the edges from documents to notes', () => {
    it('are returned by note and by document, with the first passage of the document', async () => {
      const ns = await filled();
      expect(await store.records.belongsTo(ns, { notes: [1, 2] })).toEqual([]);
      const edges = new Map([
        [3, [edge(1, 1), edge(2, 0.5)]],
        [4, [edge(2, 1)]],
      ]);
      await commit(store, ns, { belongsTo: { edges, progress: upTo(4) } });
      const all = await store.records.belongsTo(ns, { documents: [4, 3, 9] });
      expect(all).toMatchObject([
        { document: 3, position: 1, note: 1, share: 1, confidence: 0.5 },
        { document: 3, position: 2, note: 2, share: 0.5, confidence: 0.25 },
        { document: 4, position: 1, note: 2, share: 1, confidence: 0.5 },
      ]);
      expect(await store.records.belongsTo(ns, { notes: [2] })).toEqual(all.slice(1));
      const { passages } = await store.search.passages(ns, [all[0]!.passage], { now: NOW });
      expect(passages).toMatchObject([{ record: { id: 3 }, text: 'buy tiles' }]);
      expect(await store.records.bounds(ns)).toMatchObject({ lastChange: 4, belongsTo: upTo(4) });
    });

    it('include those to the notes that a note links to', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('tiles', { key: 'tiles.md', title: 'Tiles' }),
        note('kitchen', {
          key: 'kitchen.md',
          metadata: { links: [{ target: 'tiles' }, { target: 'nothing' }, { target: 'hall' }] },
        }),
        note('buy tiles', { origin: 'source', source: 'tasks' }),
        note('hall', { key: 'hall.md' }),
      );
      await commit(store, ns, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress: upTo(3) } });
      expect(await store.records.belongsTo(ns, { notes: [2, 1] })).toMatchObject([
        { document: 3, note: 1, noteTitle: 'Tiles', via: 1, links: 0 },
        { document: 3, note: 1, noteTitle: 'Tiles', via: 2, links: 2 },
      ]);
    });

    it('replace those that the document had, and others stay', async () => {
      const ns = await filled();
      const first = new Map([
        [3, [edge(1, 1)]],
        [4, [edge(1, 1)]],
      ]);
      await commit(store, ns, { belongsTo: { edges: first, progress: upTo(4) } });
      await commit(store, ns, { belongsTo: { edges: new Map([[3, [edge(2, 1)]]]), progress: upTo(3) } });
      expect([await notesOf(ns, 3), await notesOf(ns, 4)]).toEqual([[2], [1]]);
      expect((await store.records.bounds(ns)).belongsTo).toEqual(upTo(3));
      await commit(store, ns, { belongsTo: { edges: new Map([[3, []]]), progress: upTo(5) } });
      expect(await notesOf(ns, 3)).toEqual([]);
    });

    it('end with the note or the document, and are not made with records that are gone', async () => {
      const ns = await filled();
      const edges = new Map([
        [3, [edge(1, 1), edge(2, 0.5)]],
        [4, [edge(2, 1)]],
      ]);
      await commit(store, ns, { belongsTo: { edges, progress: upTo(4) } });
      await deleteRecords(store, ns, 1);
      expect(await notesOf(ns, 3)).toEqual([2]);
      await commit(store, ns, { evictions: [4] });
      expect((await store.records.belongsTo(ns, { notes: [2] })).map(({ document }) => document)).toEqual([
        3,
      ]);
      await commit(store, ns, { belongsTo: { edges, progress: upTo(6) } });
      expect([await notesOf(ns, 3), await notesOf(ns, 4)]).toEqual([[2], []]);
    });

    it('are committed with how far a pass over all documents is, and what it leaves out', async () => {
      const ns = await filled();
      const progress = { upTo: 1, excludedSources: ['Work', 'Old'], pass: { upTo: 4, document: 3 } };
      await commit(store, ns, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress } });
      expect((await store.records.bounds(ns)).belongsTo).toEqual(progress);
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      expect(await notesOf(ns, 3)).toEqual([]);
      expect((await store.records.bounds(ns)).belongsTo).toEqual(upTo(0));
    });

    it('belong to their namespace', async () => {
      const [ours, theirs] = [await filled(), await filled()];
      await commit(store, ours, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress: upTo(4) } });
      expect(await store.records.belongsTo(theirs, { notes: [1] })).toEqual([]);
      expect((await store.records.bounds(theirs)).belongsTo).toEqual(upTo(0));
    });
  });
}
