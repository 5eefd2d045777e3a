import { describe, expect, it } from 'vitest';
import type { LinkSelector, RecordLink } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import type { StoreFixture } from './store-contract.ts';
import { passagesOf } from './queries.ts';
import { ALL_LIVE, CHUNKING, draft, evict, note, write } from './store-samples.ts';
import { ALL, deleteRecords, restore } from './written-samples.ts';

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
        store(),
        ns,
        note('home', { key: 'Home.md', metadata }),
        note('oven', { key: 'House/Oven.md' }),
      );
      const common = { record: id, key: 'Home.md', source: 'notes' };
      const [first] = await linksOf(store(), ns, { from: [id] });
      const targetPassage = first!.targetPassage!;
      const [passage] = await passagesOf(store(), ns, [targetPassage], ALL_LIVE);
      expect(passage).toMatchObject({ record: { id: 2 }, ordinal: 0 });
      const oven = { target: 'Oven', targetRecord: 2, targetKey: 'House/Oven.md', targetPassage };
      const nowhere = { target: 'Nowhere', targetRecord: null, targetKey: null, targetPassage: null };
      const links = [
        { ...common, ...oven, position: 1, type: 'link' },
        { ...common, ...nowhere, position: 2, type: 'link' },
        { ...common, ...oven, position: 3, type: 'embed' },
      ];
      expect(await linksOf(store(), ns, { from: [id] })).toEqual(links);
      expect(await linksOf(store(), ns, { from: [id], targets: ['Nowhere', 'Home'] })).toEqual([links[1]]);
    });

    it('are found by their source record, by their target record, and by having no target', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        noteWithLinks('a.md', 'b', 'x'),
        noteWithLinks('b.md', 'a', 'c'),
        noteWithLinks('c.md', 'b'),
      );
      expect(await linkTexts(store(), ns, { from: [3, 1] })).toEqual([
        'a.md → b → b.md',
        'a.md → x → nothing',
        'c.md → b → b.md',
      ]);
      expect(await linkTexts(store(), ns, { to: [2] })).toEqual(['a.md → b → b.md', 'c.md → b → b.md']);
      expect(await linkTexts(store(), ns, { to: [1, 3, 99] })).toEqual([
        'b.md → a → a.md',
        'b.md → c → c.md',
      ]);
      expect(await linkTexts(store(), ns, { unresolved: true })).toEqual(['a.md → x → nothing']);
    });

    it('are returned in pages, by record and position', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('a.md', 'b', 'x', 'c'), noteWithLinks('b.md', 'a'));
      const first = await store().records.links(ns, { from: [1, 2] }, { after: null, limit: 2 });
      expect(first.map(({ target }) => target)).toEqual(['b', 'x']);
      const rest = await store().records.links(ns, { from: [1, 2] }, { after: first[1]!, limit: 5 });
      expect(rest.map(({ target }) => target)).toEqual(['c', 'a']);
    });

    it('do not lead to another source or namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store(), ns, noteWithLinks('a.md', 'b'), note('b', { key: 'b.md', source: 'elsewhere' }));
      await write(store(), other, note('b', { key: 'b.md' }));
      expect(await linkTexts(store(), ns, { from: [1] })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store(), ns, { to: [2] })).toEqual([]);
      expect(await linksOf(store(), namespace(), { unresolved: true })).toEqual([]);
    });

    it('do not resolve to records that no source delivered', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('a.md', 'k'), note('k', { key: 'k', origin: 'fact' }));
      expect(await linkTexts(store(), ns, { from: [1] })).toEqual(['a.md → k → nothing']);
    });
  });
}

function describeLinkUpdates({ store, namespace }: StoreFixture): void {
  describe('links are updated', () => {
    it('when a note is added, and when a better match is added', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('x/a.md', 'b'));
      await write(store(), ns, note('b', { key: 'far/away/b.md' }));
      expect(await linkTexts(store(), ns, { from: [1] })).toEqual(['x/a.md → b → far/away/b.md']);
      await write(store(), ns, note('b', { key: 'x/deep/b.md' }));
      expect(await linkTexts(store(), ns, { from: [1] })).toEqual(['x/a.md → b → x/deep/b.md']);
      expect(await linksOf(store(), ns, { to: [2] })).toEqual([]);
    });

    it('when a note is renamed or moved to another folder', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        noteWithLinks('a.md', 'b', './d'),
        note('b', { key: 'b.md' }),
        note('d', { key: 'y/d.md' }),
      );
      await write(store(), ns, { ...note('b', { key: 'c.md' }), id: 2 });
      expect(await linkTexts(store(), ns, { unresolved: true })).toEqual([
        'a.md → b → nothing',
        'a.md → ./d → nothing',
      ]);
      await write(store(), ns, { ...noteWithLinks('y/a.md', 'c', './d'), id: 1 });
      expect(await linkTexts(store(), ns, { from: [1] })).toEqual([
        'y/a.md → c → c.md',
        'y/a.md → ./d → y/d.md',
      ]);
    });

    it('when a note is removed, and its own links are removed', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a'));
      await evict(store(), ns, 2);
      expect(await linkTexts(store(), ns, { unresolved: true })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store(), ns, { from: [2] })).toEqual([]);
      expect(await linksOf(store(), ns, { to: [1] })).toEqual([]);
    });

    it('when a note is deleted and restored', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a'));
      await deleteRecords(store(), ns, 2);
      expect(await linkTexts(store(), ns, { unresolved: true })).toEqual(['a.md → b → nothing']);
      expect(await linksOf(store(), ns, { to: [1] })).toEqual([]);
      await restore(store(), ns, 2, 'b');
      expect(await linkTexts(store(), ns, { from: [1, 2] })).toEqual(['a.md → b → b.md', 'b.md → a → a.md']);
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
      await store().records.commit(ns, {
        imports: [imported('a.md', null), imported('b.md', 1)] as never,
        chunking: CHUNKING,
      });
      expect(await linkTexts(store(), ns, { from: [1, 2] })).toEqual(['a.md → b → nothing']);
    });

    it('when derived data is rebuilt, with the same result', async () => {
      const ns = namespace();
      await write(store(), ns, noteWithLinks('a.md', 'b'), noteWithLinks('b.md', 'a', 'x'));
      const before = await linksOf(store(), ns, { from: [1, 2] });
      await store().admin.resetDerived(ns, { drop: true, vectors: false });
      const withoutPassages = before.map((link) => ({ ...link, targetPassage: null }));
      expect(await linksOf(store(), ns, { from: [1, 2] })).toEqual(withoutPassages);
      expect((await store().admin.verify(ns)).filter((finding) => finding.includes('link'))).toEqual([]);
    });
  });
}
