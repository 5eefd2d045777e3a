import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { userName } from '../../src/core/runtime.ts';
import type { AuditOutput } from '../../src/engine/audit/read-audit.ts';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import type { UpdateOutput, WriteOutput } from '../../src/engine/records/record-schemas.ts';
import { runAsAgent } from './agent-call.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const DAY = 24 * 60 * 60 * 1000;

function newHome(): { home: string } {
  return { home: join(temporaryFolder(), 'home') };
}

async function searchIds(query: string, options: { home: string }): Promise<number[]> {
  const { results } = await lociJson<SearchOutput>(['search', query], options);
  return results.map(({ id }) => id);
}

/** Queries the store's file directly. */
async function sql(options: { home: string }, statement: string): Promise<Record<string, unknown>[]> {
  const { store } = await lociJson<StatusOutput>(['status'], options);
  const db = new DatabaseSync(store.path);
  try {
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}

describe('a written record', () => {
  it('has the category general and the type fact by default, and is found at once', async () => {
    const options = newHome();
    const { id, citation } = await lociJson<WriteOutput>(['write', 'The quuxian fence is green'], options);
    expect(await searchIds('quuxian', options)).toEqual([id]);
    const record = await lociJson<GetOutput>(['get', citation], options);
    expect(record).toMatchObject({ category: 'general', record_type: 'fact', trust: 'operator', title: '' });
  });

  it('changes only in the given fields; an unchanged text is not chunked and embedded again', async () => {
    const options = newHome();
    const fields = ['--title', 'Worktop', '--tag', 'oak', '--category', 'home', '--record-type', 'decision'];
    await loci(['write', 'Oak, oiled\nin the quuxian shade', '--project', 'kitchen', ...fields], options);
    const before = await lociJson<GetOutput>(['get', 'record/1'], options);
    const passages = await sql(options, 'SELECT id FROM passage');

    const tags = await lociJson<UpdateOutput>(['update', 'record/1', '--tag', 'oak,kitchen'], options);
    expect(tags).toMatchObject({ changed: ['tags'], reembedded: false });
    const after = await lociJson<GetOutput>(['get', 'record/1'], options);
    expect(after).toEqual({
      ...before,
      tags: ['oak', 'kitchen'],
      updated_at: after.updated_at,
      age: after.age,
    });
    expect(await sql(options, 'SELECT id FROM passage')).toEqual(passages);

    const unchanged = await loci(['update', '1', '--tag', 'oak', '--tag', 'kitchen'], options);
    expect(unchanged.stdout).toMatch(/^record\/1 is unchanged/);
    const changed = await loci(['update', '1', '--content', 'Oak, oiled\nin the zanzibar shade'], options);
    expect(changed.stdout).toMatch(/^Changed record\/1: content\.\nFound by its words for now/);
    expect(await sql(options, 'SELECT id FROM passage')).not.toEqual(passages);
    expect(await searchIds('zanzibar', options)).toEqual([1]);
    expect(await searchIds('quuxian', options)).toEqual([]);
  });

  it('is in no output when it is deleted, and can be restored unchanged', async () => {
    const options = newHome();
    await loci(['write', 'The quuxian fence is green', '--title', 'Fence'], options);
    const before = await lociJson<GetOutput>(['get', 'record/1'], options);
    const deleted = await loci(['delete', 'record/1'], options);
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(Date.now() + 30 * DAY);
    expect(deleted.stdout).toBe(
      `Deleted record/1 (Fence). \`loci undelete 1\` restores it until ${until}.\n`,
    );
    expect(await searchIds('quuxian', options)).toEqual([]);
    expect((await loci(['get', 'record/1'], options)).code).toBe(4);
    expect(await lociJson<StatusOutput>(['status'], options)).toMatchObject({ records: 0 });
    const twice = await loci(['delete', '1'], options);
    expect(twice).toMatchObject({ code: 4, stderr: expect.stringContaining('undelete 1') as string });

    expect((await loci(['undelete', '1'], options)).stdout).toMatch(/^Restored record\/1 \(Fence\)\.\n/);
    expect(await searchIds('quuxian', options)).toEqual([1]);
    const after = await lociJson<GetOutput>(['get', 'record/1'], options);
    expect({ ...after, age: '' }).toEqual({ ...before, age: '', updated_at: after.updated_at });
  });

  it('is purged some time after its deletion, and undelete reports that', async () => {
    const options = newHome();
    await loci(['config', 'set', 'retention.purgeAfterDays', '5'], options);
    for (const name of ['quuxian', 'zanzibar']) {
      const { id } = await lociJson<WriteOutput>(['write', `The ${name} fence`], options);
      await loci(['delete', String(id)], options);
    }
    const at = Date.now() - 5 * DAY - 60_000;
    await sql(options, `UPDATE record SET deleted_at = ${String(at)} WHERE id = 1`);
    await loci(['write', 'Something else'], options);
    const purged = await loci(['undelete', '1', '--json'], options);
    expect(purged.code).toBe(4);
    expect(JSON.parse(purged.stdout)).toMatchObject({
      error: {
        code: 'gone',
        message: 'record 1 is gone: it was purged, or its vault or source was forgotten',
      },
    });
    expect((await loci(['undelete', '2'], options)).code).toBe(0);
    const { entries } = await lociJson<AuditOutput>(['inbox', 'audit', '--action', 'purge'], options);
    expect(entries).toMatchObject([{ actor: 'loci', surface: 'engine', record: null, diff: null }]);
    const log = await lociJson<AuditOutput>(['inbox', 'audit'], options);
    const ofPurged = log.entries.filter(({ subject }) => subject === entries[0]?.subject);
    expect(ofPurged.map(({ action, erased }) => [action, erased])).toEqual([
      ['purge', false],
      ['delete', false],
      ['write', true],
    ]);
  });

  it('is written once for an idempotency key, even if the request is repeated', async () => {
    const options = newHome();
    const args = ['write', 'The fence is green', '--idempotency-key', 'k1'];
    await loci(args, options);
    expect((await loci(args, options)).stdout).toMatch(
      /^Remembered before as record\/1, .*nothing was written/,
    );
    expect(await lociJson<StatusOutput>(['status'], options)).toMatchObject({ records: 1 });
    const other = await loci(['write', 'The fence is red', '--idempotency-key', 'k1'], options);
    expect(other).toMatchObject({ code: 5, stderr: expect.stringContaining('another request') as string });
  });
});

describe('an agent', () => {
  it('may write only if the settings allow it, and the error names the setting', async () => {
    const options = newHome();
    await loci(['write', 'The fence is green'], options);
    const refused = {
      code: 'writes_disabled',
      hint: expect.stringMatching(/writes\.enabled true/) as string,
    };
    const attempts = [
      runAsAgent(recordOperations.write, { content: 'x' }, options.home),
      runAsAgent(recordOperations.update, { id: 1, title: 'x' }, options.home),
      runAsAgent(recordOperations.delete, { id: 1 }, options.home),
      runAsAgent(recordOperations.undelete, { id: 1 }, options.home),
    ];
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toMatchObject(refused)));
    expect(await lociJson<StatusOutput>(['status'], options)).toMatchObject({ records: 1 });
    await loci(['config', 'set', 'writes.enabled', 'true'], options);
    expect(
      await runAsAgent(recordOperations.write, { content: 'The gate is red' }, options.home),
    ).toMatchObject({
      id: 2,
    });
  });

  it('cannot choose the trust of a record: every result shows it, and an agent’s change lowers it', async () => {
    const options = newHome();
    await loci(['config', 'set', 'writes.enabled', 'true'], options);
    await loci(['write', 'The quuxian fence is green'], options);
    await runAsAgent(recordOperations.write, { content: 'The quuxian gate is red' }, options.home);
    await expect(
      runAsAgent(recordOperations.write, { content: 'x', trust: 'operator' }, options.home),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'unknown field trust',
    });
    const trustById = async () => {
      const { results } = await runAsAgent(recordOperations.search, { query: 'quuxian' }, options.home);
      return Object.fromEntries(results.map(({ id, trust }) => [id, trust]));
    };
    expect(await trustById()).toEqual({ 1: 'operator', 2: 'agent' });
    const { stdout } = await loci(['search', 'quuxian'], options);
    expect(stdout).toContain('From memory (mcp, agent) · ');
    expect(stdout).toContain('From memory (cli) · ');
    expect((await loci(['get', 'record/2'], options)).stdout).toContain('From memory (mcp, agent) · ');

    await runAsAgent(recordOperations.update, { id: 1, tags: ['x'] }, options.home);
    expect(await trustById()).toEqual({ 1: 'agent', 2: 'agent' });
    await loci(['update', '1', '--title', 'Fence'], options);
    expect(await runAsAgent(recordOperations.get, { citation: 'record/1' }, options.home)).toMatchObject({
      trust: 'agent',
    });
  });
});

describe('the audit log', () => {
  const options = newHome();

  beforeAll(async () => {
    await loci(['config', 'set', 'writes.enabled', 'true'], options);
    await loci(['write', 'Oak, oiled\nby hand', '--title', 'Worktop'], options);
    await loci(['update', '1', '--content', 'Oak, lacquered\nby hand', '--title', 'Top'], options);
    await loci(['delete', '1'], options);
    await loci(['undelete', '1'], options);
  });

  it('shows for each change the actor, the surface, the time and the diff', async () => {
    await runAsAgent(recordOperations.write, { content: 'x' }, options.home);
    const { entries } = await lociJson<AuditOutput>(['inbox', 'audit'], options);
    const user = userName();
    expect(entries.map(({ actor, surface, action, record }) => [actor, surface, action, record])).toEqual([
      ['ada', 'mcp', 'write', 2],
      [user, 'cli', 'undelete', 1],
      [user, 'cli', 'delete', 1],
      [user, 'cli', 'update', 1],
      [user, 'cli', 'write', 1],
    ]);
    expect(entries[3]?.diff).toEqual({
      title: { before: 'Worktop', after: 'Top' },
      content: { patch: expect.stringContaining('\n-Oak, oiled\n+Oak, lacquered\n') as string },
    });
    for (const { at } of entries) expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);

    const { stdout } = await loci(['inbox', 'audit', '--record', '1', '--action', 'update'], options);
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
      (await lociJson<AuditOutput>(['inbox', 'audit', ...args], options)).entries.map(({ action }) => action);
    const viaCli = ['--surface', 'cli'];
    expect(await actions(...viaCli, '--action', 'delete')).toEqual(['delete']);
    expect(await actions('--actor', 'nobody')).toEqual([]);
    expect(await actions(...viaCli, '--from', 'tomorrow')).toEqual([]);
    expect(await actions(...viaCli, '--from', 'yesterday', '--record', '1')).toHaveLength(4);
    const page = await lociJson<AuditOutput>(['inbox', 'audit', ...viaCli, '-n', '3'], options);
    expect(page.entries.map(({ action }) => action)).toEqual(['undelete', 'delete', 'update']);
    expect(await actions(...viaCli, '-n', '3', '--after', page.next ?? '')).toEqual(['write']);
    expect((await loci(['inbox', 'audit', ...viaCli, '-n', '1'], options)).stdout).toContain(
      'shows the next page',
    );
    expect((await loci(['inbox', 'audit', '--action', 'none'], options)).stdout).toMatch(
      /^No matching entries/,
    );
  });

  it('cannot be rewritten', async () => {
    await expect(sql(options, "UPDATE audit SET actor = 'somebody'")).rejects.toThrow(/audit/);
    await expect(sql(options, 'DELETE FROM audit')).rejects.toThrow(/append-only/);
  });
});
