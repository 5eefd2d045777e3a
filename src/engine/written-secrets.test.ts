import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../test/contract/engines.ts';
import { filesContaining } from '../../test/contract/raw-file.ts';
import type { Loci } from './open.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let home: string;
let loci: Loci;
let passwords: string[];

beforeEach(async () => {
  folder = await temporaryFolder();
  home = join(folder.path, 'home');
  await mkdir(home);
  loci = await openInline(settings(home));
  passwords = [];
});

afterEach(() => folder[Symbol.asyncDispose]());

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
    await loci.write({
      content: sentence('content'),
      title: sentence('title'),
      tags: [sentence('tag')],
      metadata: { password: password('metadata'), deeper: [{ password: password('nested') }] },
    });
    const { id } = await loci.write({ content: 'A plain text.' });
    const changes = {
      content: sentence('updated'),
      title: sentence('retitled'),
      tags: [sentence('retagged')],
    };
    await loci.update({ id, ...changes, metadata: { password: password('described') } });
    expect((await loci.list({ limit: 5 })).total).toBe(2);
    expect(await storedPasswords()).toEqual([]);
  });

  it('in facts and startup entries', async () => {
    await loci.facts.store({ key: 'password', value: password('value'), tags: [sentence('tag')] });
    await loci.startup.set({ key: 'wifi', content: sentence('entry') });
    const refused = { code: 'invalid_input' };
    await expect(loci.facts.store({ key: sentence('key'), value: 'x' })).rejects.toMatchObject(refused);
    for (const name of [{ key: sentence('key') }, { key: 'wifi', agent: sentence('agent') }])
      await expect(loci.startup.set({ content: 'x', ...name })).rejects.toMatchObject(refused);
    expect((await loci.facts.list({ limit: 5 })).total).toBe(1);
    expect(await loci.startup.list()).toHaveLength(1);
    expect(await storedPasswords()).toEqual([]);
  });

  it('in all texts of a run', async () => {
    loci.recordRun({
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
    const { documents } = await loci.corpus({ limit: 5 });
    expect(documents[0]?.content).toContain('Password: [secret masked: password]');
    expect(await storedPasswords()).toEqual([]);
  });

  it('in an import', async () => {
    const allowing = settings(folder.path, { writes: { secrets: 'allow' } });
    const other = await openInline(allowing);
    await other.write({ content: sentence('imported') });
    await other.facts.store({ key: 'password', value: password('fact') });
    let lines = '';
    for await (const line of other.portable.exportLines()) lines += `${line}\n`;
    await other.close();
    for (const each of passwords) expect(lines).toContain(each);
    await loci.portable.import({ from: { lines } });
    expect((await loci.list({ limit: 5 })).total).toBe(2);
    expect(await storedPasswords()).toEqual([]);
  });

  it('in the error of a source in code', async () => {
    const message = sentence('error');
    loci.sources.register({
      id: 'tickets',
      name: 'Tickets',
      refreshIntervalMs: 60_000,
      fetch: () => Promise.reject(new Error(message)),
    });
    await loci.sources.refresh(['tickets']);
    const [source] = await loci.sources.list();
    expect(source?.error).toContain('[secret masked: password]');
    expect(await storedPasswords()).toEqual([]);
  });
});
