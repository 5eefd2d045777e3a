import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../e2e/loci-command.ts';
import { storeFact } from '../../src/engine/facts/facts.ts';
import { update } from '../../src/engine/records/update.ts';
import { write } from '../../src/engine/records/write.ts';
import { setStartup } from '../../src/engine/startup/startup.ts';
import { agentOf, withEngine } from './agents.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

/** Every page with something on it. `pages.ts` lists them; the test fails if one is missing here. */
const ADDRESSES = [
  '/search?q=oven',
  '/inbox',
  '/records/timeline',
  '/records',
  '/record/1',
  '/record?citation=Home/Kitchen+remodel.md',
  '/graph',
  '/packs?q=kitchen+remodel',
  '/receipts',
  '/facts',
  '/startup',
  '/sources',
  '/sources/vault',
  '/health/log',
  '/health',
  '/sessions',
];

const MAX_FIRST_PAGE_BYTES = 180_000;

const site = testSite({
  prepare: (home) =>
    withEngine(home, async (owner) => {
      const agent = agentOf(owner, 'assistant');
      const oven = await write(agent, {
        title: 'Oven',
        content: '## Oven\n\n- [ ] Call the fitter',
        tags: ['kitchen'],
      });
      await update(agent, { id: oven.id, content: '## Oven\n\n- [x] Call the fitter' });
      await storeFact(agent, { key: 'os', value: 'Plan 9', expires: '7d' });
      await setStartup(owner, { key: 'soul', content: 'Answer in one sentence.' });
    }),
});

/** Waits until nothing is loading. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}

describe('every page', () => {
  it('is tested here', () => {
    const source = readFileSync(join(ROOT, 'web/src/pages/pages.ts'), 'utf8');
    const paths = [...source.matchAll(/^ {4}path: '(\w+)'/gm)].map(([, path = '']) => path);
    const tested = new Set(ADDRESSES.map((address) => /^\/(\w+)/.exec(address)![1]));
    expect([...tested].sort()).toEqual(paths.sort());
  });

  it.each(ADDRESSES)(
    '%s has no serious finding of axe, and nothing is wider than the window',
    async (address) => {
      // Its words are longer than the English ones.
      const page = await site.open(address, { locale: 'de-DE' });
      for (const [colorScheme, width] of [
        ['dark', 360],
        // 200 % zoom of a window of 1280 px.
        ['light', 640],
        ['light', 1280],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        expect(await seriousFindings(page)).toEqual([]);
        expect(await fitsWindow(page)).toBe(true);
      }
    },
  );

  it.each(ADDRESSES)('%s shows that it is loading, and why it failed', async (address) => {
    const page = await site.open('/startup');
    let fail: (() => void) | undefined;
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/api/v1/**', async (route) => {
      await failing;
      await route.fulfill({
        status: 503,
        json: { code: 'store_busy', detail: 'the store is busy', hint: '' },
      });
    });
    await page.goto(`${site.address}/ui${address}`);
    await page.locator('main [role=status]').first().waitFor();
    fail!();
    await page.locator('main').getByText('the store is busy').first().waitFor();
  });
});

describe('the build', () => {
  it(`needs at most ${String(MAX_FIRST_PAGE_BYTES / 1000)} kB, compressed, until the search is shown`, async () => {
    const page = await site.open('/search');
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)`,
    );
    const files = readdirSync(join(ROOT, 'dist/web/assets'));
    const assets = files.filter((file) => loaded.includes(`/ui/assets/${file}`));
    expect(assets.length).toBeGreaterThan(2);
    const bytes = assets.map((file) => gzipSync(readFileSync(join(ROOT, 'dist/web/assets', file))).length);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(MAX_FIRST_PAGE_BYTES);
  });
});
