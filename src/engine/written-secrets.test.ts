import { HistoryLog } from './audit/history-log.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../test/contract/engines.ts';
import { filesContaining } from '../../test/contract/raw-file.ts';
import type { EngineContext } from './context.ts';
import { write } from './records/write.ts';
import { update } from './records/update.ts';
import { listRecords } from './records/list.ts';
import { storeFact, listFacts } from './facts/facts.ts';
import { setStartup, listStartup } from './startup/startup.ts';
import { corpus } from './facts/corpus.ts';
import { refreshSources, registerSource } from './reading/sources.ts';
import { sourceReports } from './reading/reports.ts';

const folder = folderForEach();
let home: string;
let loci: EngineContext;
let passwords: string[];

beforeEach(async () => {
  home = join(folder.path, 'home');
  await mkdir(home);
  loci = await openInline(settings(home));
  passwords = [];
});

/** A password that no other field has, so that a failing test shows which field was stored as it was given. */
function password(field: string): string {
  const text = `Hx!7q-${field}-Vt8`;
  passwords.push(text);
  return text;
}

const sentence = (field: string): string => `password: ${password(field)}`;

/** Closes the engine, which writes what is pending. Returns the passwords that its files contain. */
async function storedPasswords(): Promise<string[]> {
  await loci.close();
  return passwords.filter((text) => filesContaining(home, text).length > 0);
}

describe('what a program writes with the library is stored without passwords', () => {
  it('in records', async () => {
    await write(loci, {
      content: sentence('content'),
      title: sentence('title'),
      tags: [sentence('tag')],
      metadata: { password: password('metadata'), deeper: [{ password: password('nested') }] },
    });
    const { id } = await write(loci, { content: 'A plain text.' });
    const changes = {
      content: sentence('updated'),
      title: sentence('retitled'),
      tags: [sentence('retagged')],
    };
    await update(loci, { id, ...changes, metadata: { password: password('described') } });
    expect((await listRecords(loci, { limit: 5 })).total).toBe(2);
    expect(await storedPasswords()).toEqual([]);
  });

  it('in facts and startup entries', async () => {
    await storeFact(loci, { key: 'password', value: password('value'), tags: [sentence('tag')] });
    await setStartup(loci, { key: 'wifi', content: sentence('entry') });
    const refused = { code: 'invalid_input' };
    await expect(storeFact(loci, { key: sentence('key'), value: 'x' })).rejects.toMatchObject(refused);
    for (const name of [{ key: sentence('key') }, { key: 'wifi', agent: sentence('agent') }])
      await expect(setStartup(loci, { content: 'x', ...name })).rejects.toMatchObject(refused);
    expect((await listFacts(loci, { limit: 5 })).total).toBe(1);
    expect((await listStartup(loci)).entries).toHaveLength(1);
    expect(await storedPasswords()).toEqual([]);
  });

  it('in all texts of a run', async () => {
    loci.shared(HistoryLog).record(loci.namespace, {
      category: 'pack_history',
      name: sentence('name'),
      surface: sentence('surface'),
      actor: sentence('actor'),
      inputs: {
        password: password('input'),
        options: { password: password('nested') },
        note: sentence('text'),
        [sentence('field')]: 1,
      },
      outcome: sentence('outcome'),
      at: Date.now(),
      tookMs: 1,
    });
    const { documents } = await corpus(loci, { limit: 5 });
    expect(documents[0]?.content).toContain('Password: [secret masked: password]');
    expect(await storedPasswords()).toEqual([]);
  });

  it('in the error of a source in code', async () => {
    const message = sentence('error');
    registerSource(loci, {
      id: 'tickets',
      name: 'Tickets',
      refreshIntervalMs: 60_000,
      fetch: () => Promise.reject(new Error(message)),
    });
    await refreshSources(loci, { ids: ['tickets'] });
    const [source] = await sourceReports(loci);
    expect(source?.error).toContain('[secret masked: password]');
    expect(await storedPasswords()).toEqual([]);
  });
});
