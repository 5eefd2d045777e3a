import { describe, expect, it } from 'vitest';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const site = testSite();

describe('the API documents', () => {
  it('are found by words of operations and fields, with types and examples', async () => {
    const page = await site.open('/docs');
    await page.getByText('/api/v1/memory/search').waitFor();
    await page.getByRole('searchbox').fill('memory/undelete');
    await page.getByText('1 operation', { exact: true }).waitFor();
    expect(page.url()).toContain('q=memory%2Fundelete');
    const id = page.getByLabel('Fields').locator('div').filter({ hasText: 'required' });
    await id.getByText('integer', { exact: false }).first().waitFor();
    await page.getByText(/curl http:\/\/127\.0\.0\.1:\d+\/api\/v1\/memory\/undelete/).waitFor();
    await page.getByRole('searchbox').fill('no such thing anywhere');
    await page.getByRole('heading', { name: 'No operation matches' }).waitFor();
  });

  it('have an address for each operation, and unfold objects in objects', async () => {
    const page = await site.open('/docs/memory_search');
    const answer = page.locator('dl[aria-label="Answer"]').first();
    await answer.waitFor();
    const top = await page.evaluate<number>(
      "document.querySelector('#memory_search').getBoundingClientRect().top",
    );
    expect(Math.abs(top)).toBeLessThan(100);
    await answer.getByText('Its fields').first().click();
    await answer.locator('dl').first().getByText('string', { exact: true }).first().waitFor();
  });

  it('need no session', async () => {
    const page = await site.open('/docs');
    await page.context().clearCookies();
    await page.evaluate('localStorage.clear()');
    await page.goto(`${site.address}/ui/docs`);
    await page.getByText('/api/v1/memory/search').waitFor();
    await page.goto(`${site.address}/ui/search`);
    await page.getByText('This page is locked').waitFor();
  });

  it.each([
    ['light', 1280, 'en-US'],
    ['dark', 360, 'de-DE'],
  ] as const)('have no serious finding of axe in %s at %i px in %s', async (colorScheme, width, locale) => {
    const page = await site.open('/docs/memory_pack', {
      colorScheme,
      locale,
      viewport: { width, height: 800 },
    });
    await page.locator('.api-example').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
