import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const NOTES = {
  'Stove.md': '---\naliases: [Range]\n---\nIt is blue.\n',
  'Cooker.md': '---\naliases: [Range, "<img src=x onerror=alert(1)> \u202ehob"]\n---\nIt is red.\n',
  'Log.md': 'The stove failed, and then the cooker.\n',
};

const site = testSite({
  prepare: async () => {
    const folder = join(temporaryFolder(), 'appliances');
    mkdirSync(folder);
    for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(folder, name), text);
    await site.loci('index', folder);
  },
});

async function undo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
}

describe('the page of concepts', () => {
  it('lists concepts with their names and notes, and finds them by a part of a name', async () => {
    const page = await site.open('/concepts');
    await page.getByLabel('Find a name').fill('bisc');
    const biscuit = page.locator('[data-concept=Biscuit]');
    await biscuit.getByText('1 note', { exact: true }).waitFor();
    await biscuit.getByText(/also .*The dog/).waitFor();
    expect(page.url()).toContain('name=bisc');
    await page.getByLabel('Find a name').fill('no such name');
    await page.getByRole('heading', { name: 'No concept has such a name' }).waitFor();
  });

  it('has its pages from the server', async () => {
    const page = await site.open('/concepts');
    const rows = page.locator('[data-concept]');
    await rows.nth(49).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(50).waitFor();
  });

  it('shows one concept with its notes and where it is named, and renames it', async () => {
    const page = await site.open('/concepts?name=stove');
    await page.getByRole('link', { name: 'Stove' }).click();
    await page.getByRole('heading', { name: 'Named in' }).waitFor();
    await page.locator('.records').getByRole('link', { name: 'Log' }).waitFor();
    expect(await page.locator('.records').getByRole('link', { name: 'Stove' }).getAttribute('href')).toMatch(
      /^\/ui\/record\/\d+$/,
    );
    await page.getByText('Names that other notes have too').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New name').fill('???');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('no letters').waitFor();
    await page.getByLabel('New name').fill('Old stove');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Old stove' }).waitFor();
    await undo(page);
    await page.getByRole('heading', { name: 'Stove', exact: true }).waitFor();
  });

  it('merges several after showing what they become, splits one, and undoes both', async () => {
    const page = await site.open('/concepts?name=o');
    for (const label of ['Stove', 'Cooker'])
      await page.getByLabel(`Choose ${label} to merge it`, { exact: true }).check();
    await page.getByRole('button', { name: 'Merge …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 notes').waitFor();
    await dialog.getByRole('radio', { name: 'Cooker' }).check();
    await dialog.locator('.preview strong', { hasText: 'Cooker' }).waitFor();
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.locator('[data-concept=Stove]').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Cooker' }).click();
    await page.getByLabel('Choose Stove to split it off').check();
    await page.getByRole('button', { name: 'Split off …' }).click();
    await dialog.locator('.preview strong', { hasText: 'Stove' }).waitFor();
    await dialog.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByLabel('Choose Stove to split it off').waitFor({ state: 'detached' });
    await undo(page);
    await page.getByLabel('Choose Stove to split it off').waitFor();
    await page.getByRole('button', { name: 'Undo: Stove into Cooker' }).click();
    await page.getByLabel('Choose Stove to split it off').waitFor({ state: 'detached' });
  });

  it('lists names that two notes claim, and merges the notes', async () => {
    const page = await site.open('/concepts?view=conflicts');
    const conflict = page.locator('[data-conflict=Range]');
    await conflict.getByRole('link', { name: 'Stove' }).waitFor();
    await conflict.getByRole('button', { name: 'They are one thing: merge …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
    await conflict.waitFor({ state: 'detached' });
    await undo(page);
    await conflict.waitFor();
    await page.getByRole('button', { name: 'Changes' }).click();
    await page.locator('.concept-change', { hasText: 'Merged' }).getByText('undone').first().waitFor();
    const last = page.locator('.concept-change').first();
    await last.getByText('Undone:').waitFor();
    await last.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Conflicts' }).click();
    await page.getByRole('heading', { name: 'No two notes claim the same name' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await conflict.waitFor();
  });

  it('shows hostile names as text, in any width', async () => {
    const page = await site.open('/concepts?name=hob', {
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await page.locator('[data-concept=Cooker]').getByText('U+202E').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('link', { name: 'Cooker' }).click();
    await page.getByRole('heading', { name: 'Names', exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
