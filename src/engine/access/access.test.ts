import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { newTokenText } from '../../secrets/token-text.ts';
import { accessOf } from './access.ts';

const NOW = Date.UTC(2026, 10, 22);

async function openTokens(folder: string) {
  const clock = { now: NOW };
  const loci = await openInline(settings(folder), { now: () => clock.now });
  const access = accessOf(loci);
  const create = (name: string, lifetime: number | null = 1000) =>
    access.create({ subject: 'alice', name, scopes: ['read'], lifetimeMs: lifetime });
  return { clock, access, create, [Symbol.asyncDispose]: () => loci.close() };
}

describe('tokens', () => {
  it('give access to their namespace until they expire or are revoked, and their text is returned only once', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { access, create, clock } = tokens;
    const { text, ...laptop } = await create('laptop');
    expect(laptop).toMatchObject({ subject: 'alice', scopes: ['read'], expiresAt: NOW + 1000 });
    expect(await access.find(text)).toEqual(laptop);
    expect(await access.find(newTokenText())).toBeNull();
    expect(await access.find('')).toBeNull();
    expect(JSON.stringify(await access.list())).not.toContain(text);
    clock.now += 999;
    expect(await access.find(text)).toEqual(laptop);
    clock.now += 1;
    expect(await access.find(text)).toBeNull();
    const lasting = await create('lasting', null);
    clock.now += 1e12;
    expect((await access.find(lasting.text))?.id).toBe(lasting.id);
    expect(await access.revoke(lasting.id)).toMatchObject({ id: lasting.id, revokedAt: clock.now });
    expect(await access.find(lasting.text)).toBeNull();
  });

  it('are revoked by the name of exactly one active token', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { access, create } = tokens;
    const [first, second] = [await create('ci'), await create('ci')];
    await expect(access.revoke('ci')).rejects.toMatchObject({ code: 'ambiguous' });
    await access.revoke(first.id);
    expect((await access.revoke('ci')).id).toBe(second.id);
    await expect(access.revoke('ci')).rejects.toMatchObject({ code: 'not_found' });
    await expect(access.revoke(first.text)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not stored in any file as text', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { text } = await tokens.create('laptop');
    const files = await readdir(folder.path);
    expect(files).toContain('loci.db-wal');
    for (const file of files) {
      const bytes = await readFile(`${folder.path}/${file}`);
      expect(bytes.includes(text.slice('loci_'.length, 'loci_'.length + 20)), file).toBe(false);
    }
  });
});
