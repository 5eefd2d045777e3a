import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { listInbox } from '../../src/engine/inbox/inbox.ts';
import { undoChanges } from '../../src/engine/inbox/undo.ts';
import { update } from '../../src/engine/records/update.ts';
import { write } from '../../src/engine/records/write.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { unseenChanges } from '../../src/store/items/kinds.ts';
import { openInline, settings } from '../contract/engines.ts';
import { loci, MAIN, temporaryFolder } from '../e2e/loci-command.ts';
import { repetitions } from '../repetitions.ts';

const WRITTEN = repetitions(250, 1000);
const CHANGED = 50;

/** The texts of the live records, and the records about which the inbox has changes. */
async function stateOf({
  store,
  namespace,
}: EngineContext): Promise<{ texts: string[]; unseen: Set<string> }> {
  const texts: string[] = [];
  for (let after: number | null = null; ;) {
    const selector = { filter: { now: Date.now() } };
    const page = await store.records.list(namespace, selector, { after, limit: 500 });
    if (page.length === 0) break;
    texts.push(...page.map(({ content, uuid }) => `${uuid} ${content}`));
    after = page.at(-1)!.id;
  }
  const unseen = await unseenChanges(store.records, namespace);
  return { texts, unseen: new Set(unseen.map(({ subject }) => subject!)) };
}

it('an undo of a session that is killed has undone each record completely or not at all, and can be continued', async () => {
  const home = temporaryFolder();
  await loci(['config', 'init'], { home });
  const owner = await openInline(settings(home, { writes: { enabled: true } }));
  try {
    const agent = owner.as({
      ...owner.caller,
      actor: 'claude',
      surface: 'mcp',
      trust: 'agent',
      session: 's',
    });
    for (let i = 0; i < CHANGED; i++) {
      const { id } = await write(owner, { content: 'mine\n' });
      await update(agent, { id, content: 'theirs\n' });
      await update(agent, { id, content: 'theirs\nagain\n' });
    }
    for (let i = 0; i < WRITTEN; i++) await write(agent, { content: 'written' });
    const [group] = (await listInbox(owner)).groups;
    const before = (await unseenChanges(owner.store.records, owner.namespace)).length;
    const child = spawn(
      process.execPath,
      [MAIN, 'inbox', 'undo', '--group', group!.id, '--yes', '--home', home],
      {
        env: { ...process.env, LOCI_EMBEDDING_PROVIDER: 'none' },
        stdio: 'ignore',
      },
    );
    const ended = once(child, 'exit');
    // The first transaction is confirmed, and others run. The changes are only read when there is something new, which costs less.
    using database = new DatabaseSync(owner.config.store.path, { readOnly: true });
    const version = (): unknown => database.prepare('PRAGMA data_version').get()?.['data_version'];
    let last = version();
    while (child.exitCode === null) {
      await setImmediate();
      if (version() === last) continue;
      last = version();
      if ((await unseenChanges(owner.store.records, owner.namespace)).length < before) break;
    }
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const killed = await stateOf(owner);
    expect(killed.unseen.size).toBeLessThan(WRITTEN + CHANGED);
    expect(killed.unseen.size).toBeGreaterThan(0);
    for (const text of killed.texts) {
      const [uuid = ''] = text.split(' ');
      expect(killed.unseen.has(uuid)).toBe(!text.endsWith('mine\n'));
    }
    expect(killed.texts).toHaveLength(
      CHANGED + [...killed.unseen].filter((uuid) => isWritten(killed.texts, uuid)).length,
    );
    const rest = await undoChanges(owner, { group: group!.id });
    expect(rest).toMatchObject({ refused: 0 });
    const done = await stateOf(owner);
    expect(done.unseen.size).toBe(0);
    expect(done.texts.map((text) => text.split(' ')[1])).toEqual(
      Array.from({ length: CHANGED }, () => 'mine\n'),
    );
    expect((await owner.store.admin.audit(owner.namespace, { faults: true })).faults).toEqual([]);
    expect(await owner.store.admin.verify(owner.namespace)).toEqual([]);
    expect(await owner.store.admin.verify(ADMIN_NAMESPACE)).toEqual([]);
  } finally {
    await owner.close();
  }
});

function isWritten(texts: readonly string[], uuid: string): boolean {
  return texts.includes(`${uuid} written`);
}
