import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { newTokenText } from '../../secrets/token-text.ts';
import { createToken, findToken, listTokens, revokeToken } from './tokens.ts';

const NOW = Date.UTC(2026, 10, 22);

async function openTokens(folder: string) {
  const clock = { now: NOW };
  const loci = await openInline(settings(folder), { now: () => clock.now });
  const create = (name: string, expires = '1s') => createToken(loci, { subject: 'alice', name, expires });
  const find = (text: string) => findToken(loci, text);
  const revoke = (token: string) => revokeToken(loci, { token });
  return { loci, clock, find, revoke, create, [Symbol.asyncDispose]: () => loci.close() };
}

describe('tokens', () => {
  it('give access to their namespace until they expire or are revoked, and their text is returned only once', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { loci, find, revoke, create, clock } = tokens;
    const { token: text, note, ...laptop } = await create('laptop');
    expect(note).toMatch(/^the namespace alice is empty so far/);
    expect(laptop).toMatchObject({
      subject: 'alice',
      scopes: ['read'],
      expires_at: new Date(NOW + 1000).toISOString(),
    });
    expect(await find(text)).toEqual(laptop);
    expect(await find(newTokenText())).toBeNull();
    expect(await find('')).toBeNull();
    expect(JSON.stringify(await listTokens(loci))).not.toContain(text);
    clock.now += 999;
    expect(await find(text)).toEqual(laptop);
    clock.now += 1;
    expect(await find(text)).toBeNull();
    const lasting = await create('lasting', 'never');
    clock.now += 1e12;
    expect((await find(lasting.token))?.id).toBe(lasting.id);
    const revoked_at = new Date(clock.now).toISOString();
    expect(await revoke(lasting.id)).toMatchObject({ id: lasting.id, revoked_at });
    expect(await find(lasting.token)).toBeNull();
  });

  it('are revoked by the name of exactly one active token', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { revoke, create } = tokens;
    const [first, second] = [await create('ci'), await create('ci')];
    await expect(revoke('ci')).rejects.toMatchObject({ code: 'ambiguous' });
    await revoke(first.id);
    expect((await revoke('ci')).id).toBe(second.id);
    await expect(revoke('ci')).rejects.toMatchObject({ code: 'not_found' });
    await expect(revoke(first.token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not stored in any file as text', async () => {
    await using folder = await temporaryFolder();
    await using tokens = await openTokens(folder.path);
    const { token: text } = await tokens.create('laptop');
    const files = await readdir(folder.path);
    expect(files).toContain('loci.db-wal');
    for (const file of files) {
      const bytes = await readFile(`${folder.path}/${file}`);
      expect(bytes.includes(text.slice('loci_'.length, 'loci_'.length + 20)), file).toBe(false);
    }
  });
});
