import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { HistoryLog } from '../../src/engine/audit/history-log.ts';
import { samplePut } from '../../src/store/items/kinds.ts';
import { openInline } from '../contract/engines.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const DAY = 86_400_000;

/** Samples of the two days before today, and searches of an agent on them. */
async function recordFigures(home: string): Promise<void> {
  const { values } = await loadConfig({ home, env: { LOCI_EMBEDDING_PROVIDER: 'none' } });
  const loci = await openInline(values);
  for (const days of [2, 1]) {
    const at = Date.now() - days * DAY;
    const day = new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const sample = { day, at, bytes: 3_000_000 / days, records: 60, byOrigin: { vault: 60 }, vectors: 200 };
    await loci.store.records.commit(loci.namespace, { adminItems: samplePut(sample, 400) });
    const run = { category: 'pack_history', name: 'memory_search', surface: 'mcp', actor: 'agent' } as const;
    const took = { inputs: {}, outcome: '3 results', at, tookMs: 40 * days };
    loci.shared(HistoryLog).record(loci.namespace, { ...run, ...took });
  }
  await loci.close();
}

const site = testSite({
  settings: { sources: [{ id: 'tasks', name: 'Tasks', command: 'cat tasks.json' }] },
  prepare: async (home) => {
    writeFileSync(join(home, 'tasks.json'), '[{"id":"a","text":"Buy tiles"}]');
    await site.loci('sources', 'approve', 'tasks');
    await site.loci('sources', 'refresh');
    await site.loci('sources', 'pause', 'vault');
    await recordFigures(home);
  },
});

describe('the page of health', () => {
  it('shows what to look at first, and what is in order on demand', async () => {
    const page = await site.open('/health');
    const finding = page.getByRole('listitem').filter({ hasText: 'notes of vault' });
    await finding.getByText('Look at this').waitFor();
    await finding.getByText('Details').click();
    await finding.getByText('Attic boxes.md').waitFor();
    await page.getByText(/\d+ checks passed/).click();
    await page.getByText('every index are intact').waitFor();
    await finding.getByRole('link', { name: 'Look at the source' }).click();
    await page.getByRole('heading', { name: 'vault', level: 1 }).waitFor();
  });

  it('does what a finding advises, and checks again', async () => {
    const page = await site.open('/health');
    await page.getByText(/\d+ checks passed/).click();
    const paused = page.getByRole('listitem').filter({ hasText: 'paused: ' });
    await paused.getByRole('button', { name: 'Resume' }).click();
    await paused.waitFor({ state: 'detached' });
  });

  it('rebuilds the index, and asks before everything is embedded again', async () => {
    const page = await site.open('/health');
    await page.getByRole('button', { name: 'Rebuild the index' }).click();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rebuild everything …' }).click();
    await page.getByRole('dialog').getByText('every text is embedded again').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('shows figures over time as plots and as tables', async () => {
    const page = await site.open('/health');
    await page.locator('.plot canvas').nth(2).waitFor();
    const searches = page.getByRole('figure').filter({ hasText: 'Duration of searches' });
    await searches.getByText('As a table').click();
    expect(await searches.getByRole('row').allTextContents()).toEqual([
      'DaySearchesMedian95 of 100 faster',
      expect.stringMatching(/140 ms40 ms$/),
      expect.stringMatching(/180 ms80 ms$/),
    ]);
    const size = page.getByRole('figure').filter({ hasText: 'Size of the store' });
    await size.getByText('As a table').click();
    // The server has taken the sample of today.
    expect(await size.getByRole('row').count()).toBe(4);
  });

  it('says why nothing could be checked, and tries again', async () => {
    const page = await site.open('/search');
    await page.route('**/api/v1/doctor', (route) => route.abort());
    await page.getByRole('link', { name: 'Health' }).click();
    await page.locator('.state').getByText('loci ui').waitFor();
    await page.unroute('**/api/v1/doctor');
    // The page may ask again by itself before that, because the server answers other requests.
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.click({ timeout: 2000 }).catch(() => undefined);
    await page.getByText(/\d+ checks passed/).waitFor();
  });

  it.each([
    ['light', 1280, 'en-US'],
    ['dark', 360, 'de-DE'],
  ] as const)('has no serious finding of axe in %s at %i px in %s', async (colorScheme, width, locale) => {
    const page = await site.open('/health', { colorScheme, locale, viewport: { width, height: 800 } });
    await page.locator('.finding').first().waitFor();
    await page.locator('.plot canvas').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
