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

    await loci(['update', '1', '--content', 'Oak, oiled\nin the zanzibar shade'], options);
    expect(await sql(options, 'SELECT id FROM passage')).not.toEqual(passages);
    expect(await searchIds('zanzibar', options)).toEqual([1]);
    expect(await searchIds('quuxian', options)).toEqual([]);
  });

  it('is in no output when it is deleted, and can be restored unchanged', async () => {
    const options = newHome();
    await loci(['write', 'The quuxian fence is green', '--title', 'Fence'], options);
    const before = await lociJson<GetOutput>(['get', 'record/1'], options);
    await loci(['delete', 'record/1'], options);
    expect(await searchIds('quuxian', options)).toEqual([]);
    expect((await loci(['get', 'record/1'], options)).code).toBe(4);
    expect(await lociJson<StatusOutput>(['status'], options)).toMatchObject({ records: 0 });
    await loci(['undelete', '1'], options);
    expect(await searchIds('quuxian', options)).toEqual([1]);
    const after = await lociJson<GetOutput>(['get', 'record/1'], options);
    expect({ ...after, age: '' }).toEqual({ ...before, age: '', updated_at: after.updated_at });
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
  });

  it('cannot be rewritten', async () => {
    await expect(sql(options, "UPDATE audit SET actor = 'somebody'")).rejects.toThrow(/audit/);
    await expect(sql(options, 'DELETE FROM audit')).rejects.toThrow(/append-only/);
  });
});
