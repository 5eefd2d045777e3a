import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { createPageCode, findPageSession, isCsrfOf, openPageSession } from './sessions.ts';
import { createToken, findToken, listTokens, revokeToken } from './tokens.ts';

const NOW = Date.UTC(2026, 10, 22);
const [MINUTE, DAY] = [60_000, 86_400_000];

async function openAccess(folder: string) {
  const clock = { now: NOW };
  const loci = await openInline(settings(folder), { now: () => clock.now });
  return { loci, clock, [Symbol.asyncDispose]: () => loci.close() };
}

describe('sessions of the page', () => {
  it('end 30 days after they began, or after 7 days in which nobody used them', async () => {
    await using folder = await temporaryFolder();
    await using access = await openAccess(folder.path);
    const { loci, clock } = access;
    const open = async () => openPageSession(loci, (await createPageCode(loci)).code);
    const [used, idle] = [await open(), await open()];
    expect(await findPageSession(loci, used.secret)).toEqual(used.session);
    expect(isCsrfOf(used.session, used.csrf)).toBe(true);
    expect(isCsrfOf(used.session, idle.csrf)).toBe(false);
    for (let day = 6; day < 30; day += 6) {
      clock.now = NOW + day * DAY;
      expect(await findPageSession(loci, used.secret)).not.toBeNull();
    }
    expect(await findPageSession(loci, idle.secret)).toBeNull();
    clock.now = NOW + 30 * DAY - 1;
    expect((await findPageSession(loci, used.secret))?.expiresAt).toBe(NOW + 30 * DAY);
    clock.now += 1;
    expect(await findPageSession(loci, used.secret)).toBeNull();
  });

  it('begin with a code within a minute', async () => {
    await using folder = await temporaryFolder();
    await using access = await openAccess(folder.path);
    const { loci, clock } = access;
    const [early, late] = [await createPageCode(loci), await createPageCode(loci)];
    clock.now += MINUTE - 1;
    await openPageSession(loci, early.code);
    clock.now += 1;
    for (const code of [early.code, late.code, 'unknown', ''])
      await expect(openPageSession(loci, code)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('are no tokens, and neither are codes', async () => {
    await using folder = await temporaryFolder();
    await using access = await openAccess(folder.path);
    const { loci } = access;
    const { code } = await createPageCode(loci);
    const { secret, csrf, session } = await openPageSession(loci, (await createPageCode(loci)).code);
    const { token } = await createToken(loci, { subject: 'ada' });
    for (const text of [code, secret, csrf]) expect(await findToken(loci, text)).toBeNull();
    for (const text of [code, csrf, token, session.id]) expect(await findPageSession(loci, text)).toBeNull();
    for (const text of [secret, csrf, token])
      await expect(openPageSession(loci, text)).rejects.toMatchObject({ code: 'unauthorized' });
    const { tokens } = await listTokens(loci);
    expect(tokens.map(({ kind }) => kind).sort()).toEqual(['page_session', 'token']);
    await expect(revokeToken(loci, { token: session.actor })).rejects.toMatchObject({ code: 'not_found' });
    await revokeToken(loci, { token: session.id });
    expect(await findPageSession(loci, secret)).toBeNull();
  });

  it('are in no file as text', async () => {
    await using folder = await temporaryFolder();
    await using access = await openAccess(folder.path);
    const { loci } = access;
    const { code } = await createPageCode(loci);
    const { secret, csrf } = await openPageSession(loci, code);
    const files = await readdir(folder.path);
    expect(files).toContain('loci.db-wal');
    for (const file of files) {
      const bytes = await readFile(`${folder.path}/${file}`);
      for (const text of [code, secret, csrf]) expect(bytes.includes(text.slice(0, 20)), file).toBe(false);
    }
  });
});
