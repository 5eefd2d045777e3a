import { describe, expect, it } from 'vitest';
import { testSite } from './site.ts';

const site = testSite({
  ownSessions: true,
  prepare: async () => {
    await site.loci(
      'serve',
      'token',
      'create',
      '--subject',
      'ada',
      '--scope',
      'write',
      '--name',
      'laptop of Ada',
    );
    await site.loci('serve', 'token', 'create', '--subject', 'bob', '--name', 'dashboard');
    await site.loci('serve', 'token', 'revoke', 'dashboard');
  },
});

describe('the page of access', () => {
  it('lists tokens without their text, and revokes one after a question', async () => {
    const page = await site.open('/sessions');
    const laptop = page.getByRole('listitem').filter({ hasText: 'laptop of Ada' });
    await laptop.getByText('memory of ada').waitFor();
    await laptop.getByText('reads and writes').waitFor();
    await laptop.getByRole('button', { name: 'Revoke …' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('laptop of Ada was revoked.').waitFor();
    await page.getByText('2 that have ended').click();
    await laptop.getByText('revoked').waitFor();
    expect(await site.loci('serve', 'token', 'list')).toMatch(/revoked at.*laptop of Ada/s);
  });

  it('ends the session of another browser, and of this one after a question', async () => {
    const [other, page] = [await site.open('/search'), await site.open('/sessions')];
    const sessions = page.getByRole('listitem').filter({ hasText: 'opened by' });
    await sessions.filter({ hasText: 'this browser' }).waitFor();
    await sessions.nth(1).getByRole('button', { name: 'End' }).click();
    await page.getByText('The session was ended.').waitFor();
    // A server may accept it for another second.
    await expect
      .poll(
        async () => {
          await other.reload();
          return other.getByText('This page is locked').isVisible();
        },
        { timeout: 100_000 },
      )
      .toBe(true);
    await sessions.filter({ hasText: 'this browser' }).getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('This page is locked').waitFor();
  });
});
