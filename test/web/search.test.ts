import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOfVault } from '../e2e/loci-command.ts';
import { OTHER_HOST } from './browser.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const site = testSite();

describe('the search page', () => {
  it('searches as one types, and keeps the query in the address', async () => {
    const page = await site.open('/search');
    await page.getByRole('searchbox').pressSequentially('induction oven');
    const first = page.locator('[data-result]').first();
    await first
      .locator('mark', { hasText: /induction/i })
      .first()
      .waitFor();
    expect(page.url()).toContain('q=induction+oven');
    await page.reload();
    expect(await page.getByRole('searchbox').inputValue()).toBe('induction oven');
    await page.locator('[data-result]').first().waitFor();
  });

  it('shows text without Markdown, and leads to the second passage of a note', async () => {
    const page = await site.open('/search?q=which+oven+did+we+decide+on+and+why');
    const first = page.locator('[data-result]').first();
    await first.locator('.snippet').first().waitFor();
    const snippets = await page.locator('.snippet').allInnerTexts();
    expect(snippets.filter((each) => /\*\*|\[\[|\[!|\|-/.test(each))).toEqual([]);
    await page.getByRole('link', { name: 'also' }).first().click();
    await page.locator('.cited').first().waitFor();
  });

  it('keeps what is typed while it is loaded', async () => {
    const page = await site.open('/facts');
    await page.locator('#early-keys').waitFor({ state: 'detached' });
    const [started, shown] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await page.route('**/assets/*.js', async (route) => {
      await (/\/search-[^/]*$/.test(route.request().url()) ? shown : started).promise;
      await route.continue();
    });
    const loaded = page.goto(`${site.address}/ui/`);
    await expect.poll(() => page.evaluate('document.activeElement?.id').catch(() => null)).toBe('early-keys');
    await page.keyboard.type('ind');
    started.resolve(undefined);
    await page.locator('nav').waitFor();
    await page.keyboard.type('uction');
    shown.resolve(undefined);
    await page.locator('#early-keys').waitFor({ state: 'detached' });
    await page.keyboard.type(' oven');
    await page
      .locator('[data-result] mark', { hasText: /induction/i })
      .first()
      .waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('induction oven');
    await loaded;
  });

  it('needs no mouse', async () => {
    const page = await site.open('/search?q=oven');
    await page.locator('[data-result]').nth(1).waitFor();
    const id = (nth: number): Promise<string | null> =>
      page.locator('[data-result]').nth(nth).getAttribute('data-result');
    const [first, second] = [await id(0), await id(1)];
    await page.keyboard.press('ArrowDown');
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.dataset.result');
    expect(await focused()).toBe(first);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(second);
    await page.keyboard.press('w');
    await page.locator('.explanation').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next result').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it('filters by chips with counts, which are in the address', async () => {
    const page = await site.open('/search?q=oven');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('button', { name: /^#kitchen \d+$/ }).click();
    await page.getByRole('button', { name: 'Remove the filter Tag: kitchen' }).waitFor();
    expect(new URL(page.url()).searchParams.getAll('tag')).toEqual(['kitchen']);
    await page.locator('.results:not(.stale) [data-result]').first().waitFor();
    expect(await page.locator('[data-result]', { hasNotText: '#kitchen' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the filter Tag: kitchen' }).click();
    await page.locator('[data-result]', { hasNotText: '#kitchen' }).first().waitFor();
  });

  it('searches in a folder, which is a chip and stands in the address', async () => {
    const page = await site.open('/search?q=oven');
    const searched = (query: string) =>
      page.waitForRequest(
        (request) =>
          request.url().endsWith('/api/v1/memory/search') &&
          (request.postDataJSON() as { query: string }).query === query,
      );
    // The counts arrive after the folder was typed: the panel is drawn again, and what was typed stays.
    const typed = Promise.withResolvers<undefined>();
    await page.route('**/api/v1/record/facets', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const inRecipes = searched('path:Recipes oven');
    await page.getByRole('textbox', { name: 'Folder' }).fill('Recipes');
    typed.resolve(undefined);
    await page.locator('.filter-panel button').first().waitFor();
    await page.keyboard.press('Enter');
    await inRecipes;
    expect(new URL(page.url()).searchParams.get('path')).toBe('Recipes');
    const inOther = searched('path:"Old notes/a" oven');
    await page.getByRole('textbox', { name: 'Folder' }).fill('Old "notes/a');
    await page.keyboard.press('Tab');
    await inOther;
    const again = searched('path:"Old notes/a" oven');
    await page.reload();
    await again;
    const everywhere = searched('oven');
    await page.getByRole('button', { name: 'Remove the filter Folder: Old "notes/a' }).click();
    await everywhere;
    expect(new URL(page.url()).searchParams.get('path')).toBeNull();
  });

  it('opens a note of a vault of Obsidian there', async () => {
    const citation = 'Home/Kitchen remodel.md';
    const { file } = JSON.parse(await site.loci('list', 'show', citation, '--json')) as { file: string };
    mkdirSync(join(file, '../../.obsidian'));
    const page = await site.open('/search?q=kitchen+remodel');
    const result = page.locator('[data-result]', { hasText: citation }).first();
    const opened = page.waitForEvent('request', (request) => request.url().startsWith('obsidian:'));
    await result.getByRole('button', { name: 'Open in Obsidian' }).click();
    const address = `obsidian://open?path=${encodeURIComponent(file)}`;
    expect((await opened).url()).toBe(address);
    await page.goto(`${site.address}/ui/record?citation=${encodeURIComponent(citation)}`);
    expect(await page.getByRole('link', { name: 'Open in Obsidian' }).getAttribute('href')).toBe(address);
  });

  it('says that nothing was found, and what to do', async () => {
    const page = await site.open('/search?q=%22no+such+words+anywhere%22');
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
  });

  it('says that the server does not answer, and searches when it does', async () => {
    const page = await site.open('/search');
    await page.getByRole('heading', { name: 'Ask your memory' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('searchbox').fill('oven');
    await page.locator('.state').getByText('loci ui').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.context().setOffline(false);
    await page.locator('[data-result]').first().waitFor();
  });

  it('has no serious finding of axe where a result is explained, and nothing wider than the window', async () => {
    const page = await site.open('/search?q=oven', {
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await page.locator('[data-result]').first().waitFor();
    await page.locator('.why').first().click();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });

  it('is in German for a German browser', async () => {
    const page = await site.open('/search', { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Suche', exact: true }).waitFor();
  });
});

describe('an empty memory', () => {
  const empty = testSite({ isEmpty: true, settings: { server: { port: 0, hosts: [OTHER_HOST] } } });

  it('is filled by a command where the page is not on the machine of the server', async () => {
    const page = await (await empty.open('/search')).context().newPage();
    await page.goto((await empty.link()).replace('127.0.0.1', OTHER_HOST));
    await page.getByRole('heading', { name: 'Add a folder of notes' }).waitFor();
    await page.getByText('loci index ~/notes').waitFor();
    expect(await page.getByLabel('Path of the folder on this machine').count()).toBe(0);
    const refused = await page.evaluate(async () => {
      const csrf = localStorage.getItem('loci-csrf') ?? '';
      const headers = { 'X-Loci-Csrf': csrf, 'Content-Type': 'application/json' };
      return (await fetch('/api/v1/index', { method: 'POST', headers, body: '{"paths":["/etc"]}' })).json();
    });
    expect(refused).toMatchObject({
      status: 403,
      detail: 'only a page on the machine of Loci may name its files',
    });
  });

  it('begins with a folder, which the server reads and adds to the settings', async () => {
    const vault = copyOfVault();
    const page = await empty.open('/search');
    await page.getByRole('heading', { name: 'Add a folder of notes' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const path = page.getByLabel('Path of the folder on this machine');
    const add = page.getByRole('button', { name: 'Add and read' });
    await path.fill(`${vault}/none`);
    await add.click();
    await page.getByRole('alert').getByText(`there is no folder ${vault}/none`).waitFor();
    await path.fill(vault);
    await add.click();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await page.getByText(`60 notes were read from ${vault}.`).waitFor();
    await page.getByRole('heading', { name: 'Ask your memory' }).waitFor();
    await page.getByRole('searchbox').fill('oven');
    await page.locator('[data-result]').first().waitFor();
    expect(readFileSync(join(empty.home, 'loci.yaml'), 'utf8')).toContain(`path: ${vault}`);
    await page.goto(`${empty.address}/ui/sources`);
    await page
      .getByRole('listitem')
      .filter({ hasText: '60 notes' })
      .getByText('Up to date', { exact: true })
      .waitFor();
    await page.goto(`${empty.address}/ui/record?citation=Home/Kitchen+remodel.md`);
    await page.locator('.markdown img').first().waitFor();
  });
});
