import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { storeFact } from '../../src/engine/facts/facts.ts';
import { openInline } from '../contract/engines.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

/** Tag characters, and markup. */
const HOSTILE = '<script>alert(1)</script>\u{e0041}';

async function storeFacts(home: string, count: number): Promise<void> {
  const { values } = await loadConfig({ home, env: { LOCI_EMBEDDING_PROVIDER: 'none' } });
  const loci = await openInline(values);
  for (let i = 0; i < count; i++) await storeFact(loci, { key: `fact ${String(i)}`, value: 'yes' });
  await loci.close();
}

const site = testSite({
  prepare: async (home) => {
    await site.loci('write', 'The oven is induction.\nAsk Ada.', '--title', 'Oven choice');
    await site.loci('update', '61', '--content', `The oven is gas.\n${HOSTILE}\nAsk Ada.`);
    await site.loci('delete', '61');
    await site.loci('undelete', '61');
    await storeFacts(home, 50);
  },
});

describe('the audit log of the page of health', () => {
  it('unfolds a change as lines with signs, and shows what is hidden in them', async () => {
    const page = await site.open('/health/log?action=update');
    const entry = page.locator('.entry').first();
    await entry.getByText('changed', { exact: true }).waitFor();
    await entry.getByRole('button', { name: 'What changed' }).click();
    const lines = entry.locator('.diff-lines');
    expect(await lines.locator('.removed').allTextContents()).toEqual(['−removedThe oven is induction.']);
    expect(await lines.locator('.added').allTextContents()).toEqual([
      '+addedThe oven is gas.',
      '+added<script>alert(1)</script>U+E0041',
    ]);
  });

  it('is filtered by chips, which the address has, and is read page by page', async () => {
    const page = await site.open('/health/log');
    await page.getByText('The log is whole: ').waitFor();
    await page.locator('.entry').nth(49).waitFor();
    expect(await page.locator('.entry').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.locator('.entry').nth(52).waitFor();
    await page.getByRole('group', { name: 'Action' }).getByRole('button', { name: 'deleted' }).click();
    await expect.poll(() => page.locator('.entry').count()).toBe(1);
    expect(page.url()).toContain('action=delete');
    await page.reload();
    await page.locator('.entry').getByText('deleted').waitFor();
    await page.getByRole('button', { name: 'What changed' }).click();
    await page.getByRole('link', { name: 'Only this record' }).click();
    expect(page.url()).toContain('record=61');
    await page.getByRole('group', { name: 'Action' }).getByRole('button', { name: 'All' }).click();
    await expect.poll(() => page.locator('.entry').count()).toBe(4);
    await page.getByRole('group', { name: 'Through' }).getByRole('button', { name: 'MCP' }).click();
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    await page.getByRole('button', { name: 'Remove all filters' }).last().click();
    await page.locator('.entry').nth(49).waitFor();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    expect(page.url()).toMatch(/from=\d{4}-\d\d-\d\d/);
    await page.locator('.actor').first().click();
    expect(page.url()).toContain('actor=');
  });

  it('has no serious finding of axe where an entry is unfolded, and nothing wider than the window', async () => {
    const page = await site.open('/health/log?action=update', {
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await page.locator('.unfold').first().click();
    await page.locator('.diff-lines').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });

  it('says that the log is not whole when an entry was removed', async () => {
    const page = await site.open('/search');
    using db = new DatabaseSync(join(site.home, 'loci.db'), { defensive: false });
    const triggers = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'",
    );
    for (const { name } of triggers.all()) db.exec(`DROP TRIGGER ${String(name)}`);
    db.exec("UPDATE audit SET actor = 'eve' WHERE seq = 2");
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('alert').getByText('The log is not whole').waitFor();
    await page.getByRole('alert').getByText('was changed').waitFor();
  });
});
