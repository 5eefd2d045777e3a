import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditHash } from '../../src/store/rules/audit-chain.ts';
import type { Store } from '../../src/store/store.ts';
import { note, NOW } from '../contract/store-samples.ts';
import {
  ALL,
  attachAudit,
  auditChain,
  auditChains,
  auditDraft,
  auditEntries,
  commit,
  purgeRequest,
  verifyAudit,
  purge,
} from '../contract/written-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const NAMESPACE = 'n';

describe('tampering with the audit log', () => {
  let folder: ReturnType<typeof scratchFolder>;
  let path: string;
  let store: Store;

  beforeEach(async () => {
    folder = scratchFolder();
    path = join(folder.path, 'store.db');
    store = await openSqlite(path, { inline: true });
    for (const namespace of ['other', NAMESPACE]) {
      const audit = Array.from({ length: 5 }, (_, i) =>
        auditDraft({ at: NOW + i, subject: `u${String(i)}`, diff: { content: `text ${String(i)}` } }),
      );
      await commit(store, namespace, { audit });
    }
  });
  afterEach(async () => {
    await store.close();
    folder[Symbol.dispose]();
  });

  async function attachOther(): Promise<void> {
    const [otherChain] = await auditChains(store, 'other');
    await attachAudit(store, NAMESPACE, await auditChain(store, 'other', otherChain!.chain, ALL));
  }

  const inNamespace = "ns = (SELECT id FROM namespace WHERE name = 'n')";

  /** Changes the file directly, without the triggers that protect the log. */
  function tamper(sql: string): void {
    using db = new DatabaseSync(path, { defensive: false });
    const triggers = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'")
      .all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
    expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
  }

  it.each([
    [
      'the actor of an entry',
      `UPDATE audit SET actor = 'eve' WHERE ${inNamespace} AND seq = 3`,
      ['entry 3 of the audit log was changed'],
    ],
    [
      'the time of the last entry',
      `UPDATE audit SET at = at - 1 WHERE ${inNamespace} AND seq = 5`,
      ['entry 5 of the audit log was changed'],
    ],
    [
      'a diff',
      `UPDATE audit SET diff = '{"content":"other"}' WHERE ${inNamespace} AND seq = 2`,
      ['the diff of entry 2 of the audit log was changed'],
    ],
    [
      'a diff that is no longer JSON',
      `UPDATE audit SET diff = '{' WHERE ${inNamespace} AND seq = 2`,
      ['the diff of entry 2 of the audit log was changed'],
    ],
    [
      'a diff and its hash',
      `UPDATE audit SET diff = '1', diff_hash = '2' WHERE ${inNamespace} AND seq = 4`,
      ['entry 4 of the audit log was changed'],
    ],
    [
      'a deleted entry',
      `DELETE FROM audit WHERE ${inNamespace} AND seq = 3`,
      ['entries 3 to 3 of the audit log are missing'],
    ],
    [
      'deleted first entries',
      `DELETE FROM audit WHERE ${inNamespace} AND seq < 3`,
      ['entries 1 to 2 of the audit log are missing'],
    ],
    [
      'deleted last entries',
      `DELETE FROM audit WHERE ${inNamespace} AND seq > 3`,
      ['entries 4 to 5 of the audit log are missing at its end'],
    ],
    [
      'all entries deleted',
      `DELETE FROM audit WHERE ${inNamespace}`,
      ['entries 1 to 5 of the audit log are missing at its end'],
    ],
    [
      'the number of an entry',
      `UPDATE audit SET seq = 9 WHERE ${inNamespace} AND seq = 5`,
      ['entries 5 to 8 of the audit log are missing', 'entry 9'],
    ],
    [
      'the head',
      `UPDATE namespace_state SET audit_head = 'x' WHERE ${inNamespace}`,
      ['the last entry of the audit log is not the one that was written last'],
    ],
    [
      'the deleted registration of the log',
      `UPDATE namespace_state SET audit_chain = NULL WHERE ${inNamespace}`,
      ['is not registered'],
    ],
  ])('is reported with the affected entry: %s', async (_, sql, findings) => {
    tamper(sql);
    const faults = await verifyAudit(store, NAMESPACE);
    expect(faults[0]).toContain(findings[0]);
    expect(faults.length).toBeLessThanOrEqual(findings.length);
    expect(await verifyAudit(store, 'other')).toEqual([]);
  });

  it('is reported for an entry that was changed together with its hash', async () => {
    const entry = (await auditEntries(store, NAMESPACE, { subject: 'u2' }, ALL))[0]!;
    const hash = auditHash({ ...entry, actor: 'eve' });
    tamper(`UPDATE audit SET actor = 'eve', hash = '${hash}' WHERE ${inNamespace} AND seq = 3`);
    expect(await verifyAudit(store, NAMESPACE)).toEqual([
      expect.stringContaining('entry 4 of the audit log does not follow the one before it'),
    ]);
  });

  it('is reported with at most five faults', async () => {
    tamper(`UPDATE audit SET action = action || '!' WHERE ${inNamespace}`);
    expect(await verifyAudit(store, NAMESPACE)).toHaveLength(5);
  });

  it('is reported for a missing diff, even if an attached chain has a purge of the record', async () => {
    await commit(store, 'other', { audit: [auditDraft({ at: NOW + 9, subject: 'u2', action: 'purge' })] });
    await attachOther();
    tamper(`UPDATE audit SET diff = NULL WHERE ${inNamespace} AND subject = 'u2'`);
    expect(await verifyAudit(store, NAMESPACE)).toEqual([
      expect.stringContaining('the diff of entry 3 of the audit log is missing, and no entry explains why'),
    ]);
  });

  it.each([
    ['a row is missing', 'DELETE FROM audit_attachment WHERE first_seq = 1', 'entries 1 to 2 of'],
    [
      'a row is no JSON',
      `UPDATE audit_attachment SET content = 'x' WHERE first_seq = 1`,
      'entries 1 to 2 of',
    ],
    [
      'an entry is missing',
      `UPDATE audit_attachment SET content = substr(content, 1, instr(content, char(10)) - 1) WHERE first_seq = 3`,
      'entries 3 to 5 of',
    ],
  ])('reports damage to an attached chain, and purges go on: %s', async (_, sql, finding) => {
    const [theirs] = await auditChains(store, 'other');
    const entries = await auditChain(store, 'other', theirs!.chain, ALL);
    for (const part of [entries.slice(0, 2), entries.slice(2)]) await attachAudit(store, NAMESPACE, part);
    tamper(sql);
    expect(await verifyAudit(store, NAMESPACE)).toEqual([expect.stringContaining(finding)]);
    await commit(store, NAMESPACE, { writes: [note('x', { expiresAt: NOW })] });
    expect(await purge(store.records, NAMESPACE, purgeRequest())).toBe(1);
  });

  it('is prevented by triggers', async () => {
    await attachOther();
    using db = new DatabaseSync(path);
    for (const sql of [
      `DELETE FROM audit`,
      `DELETE FROM audit WHERE seq = 5`,
      `UPDATE audit SET actor = 'eve'`,
      `UPDATE audit SET diff = '{}'`,
      `UPDATE audit SET diff = NULL, session = 'x'`,
      `UPDATE audit SET diff = NULL, action = 'x'`,
      `UPDATE audit SET seq = seq + 100`,
      `UPDATE OR REPLACE audit SET seq = 1 WHERE seq = 2`,
      `INSERT OR REPLACE INTO audit SELECT ns, chain, seq, at, 'eve', surface, action, subject, diff, diff_hash, previous, hash, session FROM audit`,
      `REPLACE INTO audit SELECT ns, chain, 1, at, actor, surface, action, subject, diff, diff_hash, previous, hash, session FROM audit WHERE seq = 2`,
      `DELETE FROM namespace_state`,
      `UPDATE namespace_state SET audit_chain = NULL`,
      `UPDATE namespace_state SET audit_length = audit_length - 1`,
      `UPDATE namespace_state SET audit_head = 'x'`,
      `UPDATE namespace_state SET audit_chain = 'another', audit_length = audit_length + 1`,
      `INSERT OR REPLACE INTO namespace_state SELECT * FROM namespace_state`,
      `DELETE FROM audit_attachment`,
      `UPDATE audit_attachment SET last_seq = 9`,
      `UPDATE audit_attachment SET content = content || char(10) || '{}'`,
      `INSERT OR REPLACE INTO audit_attachment SELECT * FROM audit_attachment`,
      `INSERT INTO audit_attachment SELECT id + 9, ns, chain, 2, 9, head, content FROM audit_attachment`,
    ])
      expect(() => db.prepare(sql).run(), sql).toThrow('the audit log is append-only');
    // Without an entry in the log of the store, no namespace takes its log along.
    db.exec('UPDATE namespace_state SET removed = 1');
    for (const table of ['audit', 'namespace_state', 'audit_attachment'])
      expect(() => db.exec(`DELETE FROM ${table}`), table).toThrow('the audit log is append-only');
    db.exec('UPDATE namespace_state SET removed = 0');
    expect(await verifyAudit(store, NAMESPACE)).toEqual([]);
    expect(await auditEntries(store, NAMESPACE, {}, ALL)).toHaveLength(5);
    await commit(store, NAMESPACE, { audit: [auditDraft()] });
    expect(await verifyAudit(store, NAMESPACE)).toEqual([]);
  });
});
