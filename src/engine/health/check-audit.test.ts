import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { audit } from '../audit/read-audit.ts';
import { write } from '../records/write.ts';
import { doctor } from './doctor.ts';

const ADA = { namespace: 'ada', actor: 'ada', surface: 'mcp', trust: 'agent' } as const;
const OPERATOR = { namespace: 'default', actor: 'me', surface: 'cli', trust: 'operator' } as const;

describe('the check of the audit log', () => {
  it.each([
    ['an entry was changed', "UPDATE audit SET actor = 'eve'", 'was changed'],
    ['all entries were deleted', 'DELETE FROM audit', 'are missing at its end'],
    [
      'the entries and the registration of the log were deleted',
      'DELETE FROM audit; UPDATE namespace_state SET audit_chain = NULL',
      'there are written records but no audit log',
    ],
    [
      'the registration of the log was deleted',
      'UPDATE namespace_state SET audit_chain = NULL',
      'is not registered',
    ],
  ])('reports that %s', async (_, sql, message) => {
    await using folder = await temporaryFolder();
    const config = settings(folder.path, { writes: { enabled: true } });
    const loci = await openInline(config, { create: true });
    await write(loci.as(ADA), { content: 'The oven is gas' });
    const checkOf = async (caller: typeof ADA | typeof OPERATOR): Promise<unknown> =>
      (await doctor(loci.as(caller))).find(({ name }) => name === 'audit');
    expect([await checkOf(ADA), await checkOf(OPERATOR)]).toMatchObject([{ result: 'ok' }, { result: 'ok' }]);
    const verified = async () => (await audit(loci.as(ADA), { verify: true })).verified;
    expect(await verified()).toEqual({ entries: 1, faults: [] });
    expect((await audit(loci.as(ADA))).verified).toBeUndefined();
    tamper(config.store.path, sql);
    expect((await verified())?.faults.join()).toContain(message);
    expect(await checkOf(ADA)).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining(message) as string,
    });
    expect(await checkOf(OPERATOR)).toMatchObject({
      detail: expect.stringMatching(new RegExp(`^ada: .*${message}`)) as string,
    });
    const bob = await doctor(loci.as({ ...ADA, namespace: 'bob' }));
    expect(bob.find(({ name }) => name === 'audit')).toMatchObject({ result: 'ok' });
    await loci.close();
  });
});

function tamper(path: string, sql: string): void {
  using db = new DatabaseSync(path, { defensive: false });
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'");
  for (const { name } of triggers.all()) db.exec(`DROP TRIGGER ${String(name)}`);
  db.exec(sql);
}
