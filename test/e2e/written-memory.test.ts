import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { userName } from '../../src/core/runtime.ts';
import type { AuditOutput } from '../../src/operations/audit/audit.ts';
import { deleteRecord } from '../../src/operations/records/delete.ts';
import { get, type GetOutput } from '../../src/operations/records/get.ts';
import { search, type SearchOutput } from '../../src/operations/records/search.ts';
import type { StatusOutput } from '../../src/operations/health/status.ts';
import { undelete } from '../../src/operations/records/undelete.ts';
import { update, type UpdateOutput } from '../../src/operations/records/update.ts';
import { write, type WriteOutput } from '../../src/operations/records/write.ts';
import { asAgent } from './agent-call.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const DAY = 24 * 60 * 60 * 1000;

function newHome(): { home: string } {
  return { home: join(temporaryFolder(), 'home') };
}

async function found(query: string, own: { home: string }): Promise<number[]> {
  const { results } = await lociJson<SearchOutput>(['search', query], own);
  return results.map(({ id }) => id);
}

/** Queries the store's file directly. */
async function sql(own: { home: string }, statement: string): Promise<Record<string, unknown>[]> {
  const { store } = await lociJson<StatusOutput>(['status'], own);
  const db = new DatabaseSync(store.path);
  try {
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}

describe('a record that was written', () => {
  it('has the category general and the type fact by default, and is found at once', async () => {
    const own = newHome();
    const { id, citation } = await lociJson<WriteOutput>(['write', 'The quuxian fence is green'], own);
    expect(await found('quuxian', own)).toEqual([id]);
    const record = await lociJson<GetOutput>(['get', citation], own);
    expect(record).toMatchObject({ category: 'general', record_type: 'fact', trust: 'operator', title: '' });
  });

  it('changes only in the given fields; an unchanged text is not chunked and embedded again', async () => {
    const own = newHome();
    const told = ['--title', 'Worktop', '--tag', 'oak', '--category', 'home', '--record-type', 'decision'];
    await loci(['write', 'Oak, oiled\nin the quuxian shade', '--project', 'kitchen', ...told], own);
    const before = await lociJson<GetOutput>(['get', 'record/1'], own);
    const passages = await sql(own, 'SELECT id FROM passage');

    const tags = await lociJson<UpdateOutput>(['update', 'record/1', '--tag', 'oak,kitchen'], own);
    expect(tags).toMatchObject({ changed: ['tags'], reembedded: false });
    const after = await lociJson<GetOutput>(['get', 'record/1'], own);
    expect(after).toEqual({
      ...before,
      tags: ['oak', 'kitchen'],
      updated_at: after.updated_at,
      age: after.age,
    });
    expect(await sql(own, 'SELECT id FROM passage')).toEqual(passages);

    const again = await loci(['update', '1', '--tag', 'oak', '--tag', 'kitchen'], own);
    expect(again.stdout).toMatch(/^record\/1 is unchanged/);
    const changed = await loci(['update', '1', '--content', 'Oak, oiled\nin the zanzibar shade'], own);
    expect(changed.stdout).toMatch(/^Changed record\/1: content\.\nFound by its words for now/);
    expect(await sql(own, 'SELECT id FROM passage')).not.toEqual(passages);
    expect(await found('zanzibar', own)).toEqual([1]);
    expect(await found('quuxian', own)).toEqual([]);
  });

  it('is in no output when it is deleted, and can be restored unchanged', async () => {
    const own = newHome();
    await loci(['write', 'The quuxian fence is green', '--title', 'Fence'], own);
    const before = await lociJson<GetOutput>(['get', 'record/1'], own);
    const deleted = await loci(['delete', 'record/1'], own);
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(Date.now() + 30 * DAY);
    expect(deleted.stdout).toBe(
      `Deleted record/1 (Fence). \`loci undelete 1\` restores it until ${until}.\n`,
    );
    expect(await found('quuxian', own)).toEqual([]);
    expect((await loci(['get', 'record/1'], own)).code).toBe(4);
    expect(await lociJson<StatusOutput>(['status'], own)).toMatchObject({ records: 0 });
    const twice = await loci(['delete', '1'], own);
    expect(twice).toMatchObject({ code: 4, stderr: expect.stringContaining('undelete 1') as string });

    expect((await loci(['undelete', '1'], own)).stdout).toMatch(/^Restored record\/1 \(Fence\)\.\n/);
    expect(await found('quuxian', own)).toEqual([1]);
    const after = await lociJson<GetOutput>(['get', 'record/1'], own);
    expect({ ...after, age: '' }).toEqual({ ...before, age: '' });
  });

  it('is purged some time after its deletion, and undelete reports that', async () => {
    const own = newHome();
    await loci(['config', 'set', 'retention.purgeAfterDays', '5'], own);
    for (const name of ['quuxian', 'zanzibar']) {
      const { id } = await lociJson<WriteOutput>(['write', `The ${name} fence`], own);
      await loci(['delete', String(id)], own);
    }
    const at = Date.now() - 5 * DAY - 60_000;
    await sql(own, `UPDATE record SET deleted_at = ${String(at)} WHERE id = 1`);
    await loci(['write', 'Something else'], own);
    const purged = await loci(['undelete', '1', '--json'], own);
    expect(purged.code).toBe(4);
    expect(JSON.parse(purged.stdout)).toMatchObject({
      error: { code: 'gone', message: 'record 1 was purged after it was deleted or had expired' },
    });
    expect((await loci(['undelete', '2'], own)).code).toBe(0);
    const { entries } = await lociJson<AuditOutput>(['audit', '--action', 'purge'], own);
    expect(entries).toMatchObject([{ actor: 'loci', surface: 'engine', record: null, diff: null }]);
    const log = await lociJson<AuditOutput>(['audit'], own);
    const ofPurged = log.entries.filter(({ subject }) => subject === entries[0]?.subject);
    expect(ofPurged.map(({ action, erased }) => [action, erased])).toEqual([
      ['purge', false],
      ['delete', false],
      ['write', true],
    ]);
  });

  it('is written once for an idempotency key, even if the request is repeated', async () => {
    const own = newHome();
    const args = ['write', 'The fence is green', '--idempotency-key', 'k1'];
    await loci(args, own);
    expect((await loci(args, own)).stdout).toMatch(/^Remembered before as record\/1 .*nothing was written/);
    expect(await lociJson<StatusOutput>(['status'], own)).toMatchObject({ records: 1 });
    const other = await loci(['write', 'The fence is red', '--idempotency-key', 'k1'], own);
    expect(other).toMatchObject({ code: 5, stderr: expect.stringContaining('another request') as string });
  });
});

describe('an agent', () => {
  it('may write only if the settings allow it, and the error names the setting', async () => {
    const own = newHome();
    await loci(['write', 'The fence is green'], own);
    const refused = {
      code: 'writes_disabled',
      hint: expect.stringMatching(/writes\.enabled true.*restart/) as string,
    };
    const attempts = [
      asAgent(write, { content: 'x' }, own.home),
      asAgent(update, { id: 1, title: 'x' }, own.home),
      asAgent(deleteRecord, { id: 1 }, own.home),
      asAgent(undelete, { id: 1 }, own.home),
    ];
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toMatchObject(refused)));
    expect(await lociJson<StatusOutput>(['status'], own)).toMatchObject({ records: 1 });
    await loci(['config', 'set', 'writes.enabled', 'true'], own);
    expect(await asAgent(write, { content: 'The gate is red' }, own.home)).toMatchObject({ id: 2 });
  });

  it('cannot choose the trust of a record: every result shows it, and an agent’s change lowers it', async () => {
    const own = newHome();
    await loci(['config', 'set', 'writes.enabled', 'true'], own);
    await loci(['write', 'The quuxian fence is green'], own);
    await asAgent(write, { content: 'The quuxian gate is red' }, own.home);
    await expect(asAgent(write, { content: 'x', trust: 'operator' }, own.home)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'unknown field trust',
    });
    const trusted = async () => {
      const { results } = await asAgent(search, { query: 'quuxian' }, own.home);
      return Object.fromEntries(results.map(({ id, trust }) => [id, trust]));
    };
    expect(await trusted()).toEqual({ 1: 'operator', 2: 'agent' });
    const { stdout } = await loci(['search', 'quuxian'], own);
    expect(stdout).toContain('From memory (mcp, agent) · ');
    expect(stdout).toContain('From memory (cli) · ');
    expect((await loci(['get', 'record/2'], own)).stdout).toContain('From memory (mcp, agent) · ');

    await asAgent(update, { id: 1, tags: ['x'] }, own.home);
    expect(await trusted()).toEqual({ 1: 'agent', 2: 'agent' });
    await loci(['update', '1', '--title', 'Fence'], own);
    expect(await asAgent(get, { citation: 'record/1' }, own.home)).toMatchObject({ trust: 'agent' });
  });
});

describe('the audit log', () => {
  const own = newHome();

  beforeAll(async () => {
    await loci(['config', 'set', 'writes.enabled', 'true'], own);
    await loci(['write', 'Oak, oiled\nby hand', '--title', 'Worktop'], own);
    await loci(['update', '1', '--content', 'Oak, lacquered\nby hand', '--title', 'Top'], own);
    await loci(['delete', '1'], own);
    await loci(['undelete', '1'], own);
  });

  it('shows who changed what, when and through which surface, with the diff', async () => {
    await asAgent(write, { content: 'x' }, own.home);
    const { entries } = await lociJson<AuditOutput>(['audit'], own);
    const me = userName();
    expect(entries.map(({ actor, surface, action, record }) => [actor, surface, action, record])).toEqual([
      ['ada', 'mcp', 'write', 2],
      [me, 'cli', 'undelete', 1],
      [me, 'cli', 'delete', 1],
      [me, 'cli', 'update', 1],
      [me, 'cli', 'write', 1],
    ]);
    expect(entries[3]?.diff).toEqual({
      title: { before: 'Worktop', after: 'Top' },
      content: { patch: expect.stringContaining('\n-Oak, oiled\n+Oak, lacquered\n') as string },
    });
    for (const { at } of entries) expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);

    const { stdout } = await loci(['audit', '--record', '1', '--action', 'update'], own);
    const [first, ...rest] = stdout.trimEnd().split('\n');
    expect(first).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S.* via cli {2}update {2}record\/1$/);
    expect(rest).toEqual([
      '    title: Worktop → Top',
      '    content:',
      '      @@ -1,1 +1,1 @@',
      '      -Oak, oiled',
      '      +Oak, lacquered',
    ]);
  });

  it('can be filtered and read in pages', async () => {
    const actions = async (...args: string[]) =>
      (await lociJson<AuditOutput>(['audit', ...args], own)).entries.map(({ action }) => action);
    const mine = ['--surface', 'cli'];
    expect(await actions(...mine, '--action', 'delete')).toEqual(['delete']);
    expect(await actions('--actor', 'nobody')).toEqual([]);
    expect(await actions(...mine, '--from', 'tomorrow')).toEqual([]);
    expect(await actions(...mine, '--from', 'yesterday', '--record', '1')).toHaveLength(4);
    const page = await lociJson<AuditOutput>(['audit', ...mine, '-n', '3'], own);
    expect(page.entries.map(({ action }) => action)).toEqual(['undelete', 'delete', 'update']);
    expect(await actions(...mine, '-n', '3', '--after', page.next ?? '')).toEqual(['write']);
    expect((await loci(['audit', ...mine, '-n', '1'], own)).stdout).toContain('shows the next page');
    expect((await loci(['audit', '--action', 'none'], own)).stdout).toMatch(/^No matching entries/);
  });

  it('cannot be rewritten', async () => {
    await expect(sql(own, "UPDATE audit SET actor = 'somebody'")).rejects.toThrow(/audit/);
    await expect(sql(own, 'DELETE FROM audit')).rejects.toThrow(/append-only/);
  });
});
