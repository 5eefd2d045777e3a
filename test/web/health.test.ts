import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testSite } from './site.ts';

const site = testSite({
  settings: { sources: [{ id: 'tasks', name: 'Tasks', command: 'cat tasks.json' }] },
  prepare: async (home) => {
    writeFileSync(join(home, 'tasks.json'), '[{"id":"a","text":"Buy tiles"}]');
    await site.loci('sources', 'approve', 'tasks');
    await site.loci('sources', 'refresh');
    await site.loci('sources', 'pause', 'vault');
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
});
