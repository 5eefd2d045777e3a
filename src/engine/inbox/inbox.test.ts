import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { editLines, exportLines } from '../../../test/contract/export-samples.ts';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { audit } from '../audit/read-audit.ts';
import type { EngineContext } from '../context.ts';
import { recallFact, storeFact, forgetFacts } from '../facts/facts.ts';
import { deleteRecord, undelete } from '../records/delete.ts';
import { get } from '../records/get.ts';
import { update } from '../records/update.ts';
import { write } from '../records/write.ts';
import { setStartup } from '../startup/startup.ts';
import { importMemory } from '../portable/import.ts';
import { listInbox, keepChanges } from './inbox.ts';
import type { InboxGroup } from './inbox-fields.ts';
import { undoChanges } from './undo.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

const folder = folderForEach();
let loci: EngineContext;
let now: number;

beforeEach(async () => {
  now = NOW;
  const config = settings(folder.path, { writes: { enabled: true } });
  loci = await openInline(config, { now: () => now++ });
});

afterEach(() => loci.close());

function agent(actor: string, session?: string, namespace: string = loci.namespace): EngineContext {
  const caller = { namespace, actor, surface: 'mcp', trust: 'agent' as const };
  return loci.as({ ...caller, ...(session !== undefined && { session }) });
}

async function onlyGroup(context: EngineContext = loci): Promise<InboxGroup> {
  const { groups } = await listInbox(context);
  expect(groups).toHaveLength(1);
  return groups[0]!;
}

async function textOf(id: number): Promise<string> {
  return (await get(loci, { citation: `record/${String(id)}` })).text;
}

describe('the inbox', () => {
  it('has what agents changed, by agent and session, and nothing of the operator', async () => {
    const [first, second] = [agent('claude', 's1'), agent('cursor')];
    const { id } = await write(loci, { content: 'The oven is induction.', title: 'Oven' });
    await write(first, { content: 'It needs 32 A.', title: 'Circuit' });
    await update(first, { id, content: 'The oven is gas.' });
    await storeFact(first, { key: 'os', value: 'Linux' });
    await deleteRecord(second, { id });
    await write(agent('claude', 's2', 'other'), { content: 'Elsewhere.' });
    const inbox = await listInbox(loci);
    expect(inbox).toMatchObject({ total: 4, written: 1, changed: 1, deleted: 1, facts: 1 });
    expect(inbox.groups).toMatchObject([
      {
        agent: 'cursor',
        session: null,
        total: 1,
        deleted: 1,
        changes: [{ action: 'delete', undo: 'restore' }],
      },
      {
        ...{ agent: 'claude', surface: 'mcp', session: 's1', total: 3 },
        changes: [
          {
            action: 'store',
            title: 'os',
            excerpt: 'Linux',
            undo: 'delete',
            expires_at: expect.any(String) as string,
          },
          {
            action: 'update',
            record: id,
            undo: null,
            why: 'changed again: delete by cursor (mcp)',
            changed_by: { agent: 'cursor', surface: 'mcp', action: 'delete' },
          },
          { action: 'write', title: 'Circuit', excerpt: 'It needs 32 A.', undo: 'delete', why: null },
        ],
      },
    ]);
    expect(await listInbox(loci.as({ ...loci.caller, namespace: 'other' }))).toMatchObject({ total: 1 });
  });

  it('is listed in pages of groups and of changes', async () => {
    for (const session of ['a', 'b', 'c'])
      for (const i of [1, 2, 3]) await write(agent('claude', session), { content: `${session}${String(i)}` });
    const first = await listInbox(loci, { limit: 2, changes: 2 });
    const rest = await listInbox(loci, { limit: 2, changes: 2, after: first.next! });
    expect(rest.next).toBeNull();
    const groups = [...first.groups, ...rest.groups];
    expect(groups.map(({ session }) => session)).toEqual(['c', 'b', 'a']);
    const [{ id, changes, next_change: next }] = groups as [InboxGroup];
    const page = await listInbox(loci, { group: id, changes: 2, after_change: next! });
    const excerpts = [...changes, ...page.groups[0]!.changes].map(({ excerpt }) => excerpt);
    expect([excerpts, page.groups[0]!.next_change]).toEqual([['c3', 'c2', 'c1'], null]);
  });

  it('has the beginning of a diff that is long', async () => {
    const { id } = await write(loci, { content: 'line\n'.repeat(2000) });
    await update(agent('claude'), { id, content: 'other line\n'.repeat(5000) });
    const [change] = (await onlyGroup()).changes;
    expect(change).toMatchObject({ shortened: true, undo: 'change-back' });
    expect(JSON.stringify(change).length).toBeLessThan(6000);
  });

  it.each([
    [`first${'\n \n'.repeat(300)}last\n`, 'first\nlast', false],
    [`${'x'.repeat(400)}!`, 'x'.repeat(400), true],
    ['line\n'.repeat(13), 'line\n'.repeat(12).trimEnd(), true],
  ])(
    'has the beginning of a text, and says whether there is more (%#)',
    async (content, excerpt, isShortened) => {
      await write(agent('claude'), { content });
      expect((await onlyGroup()).changes).toMatchObject([{ excerpt, excerpt_shortened: isShortened }]);
    },
  );

  it('loses the changes that are kept, and no others', async () => {
    const [first, second] = [agent('claude', 's1'), agent('claude', 's2')];
    for (const context of [first, second, first, second]) await write(context, { content: 'x' });
    const { groups } = await listInbox(loci);
    const [newest, other] = groups as [InboxGroup, InboxGroup];
    expect(await keepChanges(loci, { changes: [other.last] })).toEqual({ kept: 1, left: 3 });
    expect(await keepChanges(loci, { group: newest.id, up_to: newest.last - 1 })).toEqual({
      kept: 1,
      left: 2,
    });
    expect(await keepChanges(loci, { until: Date.parse(newest.to) })).toEqual({ kept: 1, left: 1 });
    expect((await onlyGroup()).changes.map(({ id }) => id)).toEqual([newest.last]);
    expect(await keepChanges(loci, { all: true })).toEqual({ kept: 1, left: 0 });
    expect(await audit(loci)).toMatchObject({ entries: [{ session: 's2' }, { session: 's1' }, {}, {}] });
  });

  it.each([
    ['names nothing', {}, 'invalid_input'],
    ['names changes and a group', { changes: [1], group: '0123456789ab' }, 'invalid_input'],
    ['names a change of the operator', { changes: [1] }, 'not_found'],
    ['names an unknown group', { group: '0123456789ab' }, 'not_found'],
  ])('changes nothing for a request that %s', async (_, request, code) => {
    await write(loci, { content: 'mine' });
    await write(agent('claude'), { content: 'of an agent' });
    await expect(keepChanges(loci, request)).rejects.toMatchObject({ code });
    await expect(undoChanges(loci, request)).rejects.toMatchObject({ code });
    expect(await listInbox(loci)).toMatchObject({ total: 1 });
  });
});

describe('undoing', () => {
  it('an import of an agent restores what it changed and deleted, and deletes what it wrote', async () => {
    const { id: changed } = await write(loci, { content: 'The oven is gas.', title: 'Oven' });
    const { id: deleted } = await write(loci, { content: 'to be deleted' });
    const { id: restored } = await write(loci, { content: 'to be restored' });
    const { id: trashed } = await write(loci, { content: 'in the trash' });
    for (const id of [restored, trashed]) await deleteRecord(loci, { id });
    const before = await state();
    const later = { content_hash: undefined, updated_at: NOW + 100_000 };
    const changes: Record<string, object> = {
      'The oven is gas.': { content: 'The oven is steam.' },
      'to be deleted': { deleted_at: new Date(NOW + 100_000).toISOString() },
      'to be restored': { deleted_at: null },
      'in the trash': { content: 'forged' },
    };
    const uuid = '019ac0de-0000-7000-8000-00000000000';
    const forged = editLines(await exportLines(loci), (line) =>
      line['type'] === 'record' ? { ...line, ...later, ...changes[String(line['content'])] } : line,
    );
    const added = editLines(await exportLines(loci), (line) =>
      line['type'] === 'record' ? { ...line, ...later, uuid: `${uuid}${String(line['id'])}` } : line,
    );
    const claude = agent('claude', 's1');
    const { records } = await importMemory(claude, { lines: forged });
    expect(records).toMatchObject({ added: 0, updated: 2, removed: 1, kept: 1 });
    expect((await importMemory(claude, { lines: added })).records).toMatchObject({ added: 4 });
    const group = await onlyGroup();
    expect(group.changes.map(({ action, undo }) => [action, undo])).toEqual([
      ['delete', 'delete'],
      ['delete', 'delete'],
      ['write', 'delete'],
      ['write', 'delete'],
      ['undelete', 'delete'],
      ['delete', 'restore'],
      ['update', 'change-back'],
    ]);
    expect(group.changes.at(-1)).toMatchObject({ title: 'Oven', excerpt: 'The oven is steam.' });
    expect(await undoChanges(loci, { group: group.id })).toMatchObject({ undone: 7, refused: 0 });
    expect((await state()).slice(0, before.length)).toEqual(before);
    for (const id of [changed, deleted])
      expect((await get(loci, { citation: `record/${String(id)}` })).trust).toBe('operator');
    expect((await listInbox(loci)).total).toBe(0);
  });

  it('a session deletes, restores and changes back, and is taken back as a whole', async () => {
    const claude = agent('claude', 's1');
    const { id: changed } = await write(loci, { content: 'one\ntwo\nthree\n', title: 'Mine', tags: ['a'] });
    const { id: deleted } = await write(loci, { content: 'to be deleted' });
    await storeFact(loci, { key: 'os', value: 'Linux', expires: '7d' });
    await storeFact(loci, { key: 'editor', value: 'vim' });
    const before = await state();
    await update(claude, { id: changed, content: 'one\n2\nthree', tags: [] });
    const { id: written } = await write(claude, { content: 'new' });
    await update(claude, { id: written, content: 'newer' });
    await update(claude, { id: changed, title: 'Theirs' });
    await deleteRecord(claude, { id: changed });
    await deleteRecord(claude, { id: deleted });
    await storeFact(claude, { key: 'os', value: 'Plan 9', expires: '90d' });
    await forgetFacts(claude, { key: 'editor' });
    await storeFact(claude, { key: 'editor', value: 'ed' });
    const after = await state();
    const group = await onlyGroup();
    const { undo, undone, refused } = await undoChanges(loci, { group: group.id });
    expect([undone, refused]).toEqual([9, 0]);
    expect(await state()).toEqual(before);
    expect((await get(loci, { citation: `record/${String(changed)}` })).trust).toBe('operator');
    expect((await listInbox(loci)).total).toBe(0);
    await undoChanges(loci, { undo: undo! });
    expect(await state()).toEqual(after);
    expect(await onlyGroup()).toMatchObject({ id: group.id, total: 9 });
    expect(await undoChanges(loci, { group: group.id })).toMatchObject({ undone: 9, refused: 0 });
    expect(await state()).toEqual(before);
    expect(await loci.store.admin.audit(loci.namespace, { faults: true })).toMatchObject({ faults: [] });
    expect(await loci.store.admin.verify(ADMIN_NAMESPACE)).toEqual([]);
  });

  /** The live records: what is searched, and until when. */
  it('taking an undo of many records back reads the log once for all of them', async () => {
    const claude = agent('claude', 's1');
    for (let i = 0; i < 20; i++) await write(claude, { content: String(i) });
    const { undo } = await undoChanges(loci, { changes: (await onlyGroup()).changes.map(({ id }) => id) });
    const reads = vi.spyOn(loci.store.admin, 'audit');
    await undoChanges(loci, { undo: undo! });
    expect(reads.mock.calls.filter(([, { log }]) => log?.entries !== undefined)).toHaveLength(1);
    reads.mockRestore();
    expect(await onlyGroup()).toMatchObject({ total: 20 });
  });

  async function state(): Promise<readonly object[]> {
    const filter = { now: NOW };
    const found = await loci.store.records.list(
      loci.namespace,
      { filter, order: 'oldest' },
      { after: null, limit: 100 },
    );
    return found.map(({ id, title, content, contentHash, tags, trust, expiresAt, key }) => ({
      ...{ id, title, content, contentHash, tags, trust, expiresAt, key },
    }));
  }

  it('leaves what the operator changed since, and says so', async () => {
    const claude = agent('claude', 's1');
    const { id: mine } = await write(loci, { content: 'mine' });
    await update(claude, { id: mine, content: 'theirs' });
    const { id: improved } = await write(claude, { content: 'of the agent' });
    await write(claude, { content: 'more of the agent' });
    await update(loci, { id: mine, content: 'mine again' });
    await update(loci, { id: improved, content: 'improved' });
    const { id: group } = await onlyGroup();
    const result = await undoChanges(loci, { group });
    expect(result).toMatchObject({ undone: 1, refused: 2, records: [{ did: 'deleted' }] });
    expect(result.reasons.map(({ why }) => why)).toEqual(
      Array.from({ length: 2 }, () => `changed again: update by ${loci.caller.actor} (library)`),
    );
    expect([await textOf(mine), await textOf(improved)]).toEqual(['mine again', 'improved']);
    expect(await onlyGroup()).toMatchObject({ total: 2 });
  });

  it('a single change includes later changes of the session to the same record, and no others', async () => {
    const claude = agent('claude', 's1');
    const { id } = await write(loci, { content: 'a' });
    for (const content of ['b', 'c', 'd']) await update(claude, { id, content });
    const { changes } = await onlyGroup();
    expect(changes.map((change) => change.with)).toEqual([0, 1, 2]);
    expect(await undoChanges(loci, { changes: [changes[1]!.id] })).toMatchObject({ undone: 2, refused: 0 });
    expect(await textOf(id)).toBe('b');
    // What is undone counts as not having happened: the rest of the session can still be undone.
    expect(await undoChanges(loci, { changes: [changes[2]!.id] })).toMatchObject({ undone: 1, refused: 0 });
    expect(await textOf(id)).toBe('a');
  });

  it.each([
    [
      'a fact whose former value has expired',
      async (claude: EngineContext) => {
        await storeFact(loci, { key: 'os', value: 'Linux', expires: '1h' });
        await storeFact(claude, { key: 'os', value: 'Plan 9', expires: '7d' });
        now += 2 * 60 * 60 * 1000;
      },
      { undone: 1, records: [{ did: 'deleted' }] },
    ],
    [
      'a deletion that was taken back',
      async (claude: EngineContext) => {
        const { id } = await write(loci, { content: 'a' });
        await deleteRecord(claude, { id });
        await undelete(claude, { id });
      },
      { undone: 2, records: [{ did: 'nothing' }] },
    ],
    [
      'a fact that has expired',
      async (claude: EngineContext) => {
        await storeFact(claude, { key: 'os', value: 'Plan 9', expires: '1h' });
        now += 2 * 60 * 60 * 1000;
      },
      { undone: 0, refused: 1, reasons: [{ why: 'the record is gone' }] },
    ],
    [
      'a fact whose key the operator uses again',
      async (claude: EngineContext) => {
        await storeFact(loci, { key: 'os', value: 'Linux' });
        await forgetFacts(claude, { key: 'os' });
        await write(claude, { content: 'another' });
        await storeFact(loci, { key: 'os', value: 'Haiku' });
      },
      {
        undone: 1,
        refused: 1,
        reasons: [{ why: expect.stringMatching(/record 3 already is .*os/) as string }],
      },
    ],
    [
      'a startup entry',
      async (claude: EngineContext) => {
        await setStartup(claude, { key: 'units', content: 'Answer in metric units.' });
      },
      { undone: 0, refused: 1, reasons: [{ why: 'startup:units is no record' }] },
    ],
  ])('%s', async (_, arrange, expected) => {
    await arrange(agent('claude', 's1'));
    const group = await onlyGroup();
    expect(await undoChanges(loci, { group: group.id })).toMatchObject(expected);
  });

  it('takes nothing of another namespace', async () => {
    const other = loci.as({ ...loci.caller, namespace: 'other' });
    await write(agent('claude', 's1'), { content: 'here' });
    await write(agent('claude', 's1', 'other'), { content: 'there' });
    const { id } = await onlyGroup();
    expect(await undoChanges(loci, { group: id })).toMatchObject({ undone: 1 });
    expect(await listInbox(other)).toMatchObject({ total: 1, groups: [{ id }] });
    await storeFact(other, { key: 'os', value: 'Linux' });
    expect(await recallFact(other, { key: 'os' })).toMatchObject({ value: 'Linux' });
  });

  it('needs the right to write, and an undo that exists', async () => {
    await expect(undoChanges(loci, { undo: '019ac0de-0000-7000-8000-000000000000' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      undoChanges(loci, { undo: '019ac0de-0000-7000-8000-000000000000', changes: [1] }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
