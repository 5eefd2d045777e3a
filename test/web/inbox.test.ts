import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { storeFact } from '../../src/engine/facts/facts.ts';
import { deleteRecord } from '../../src/engine/records/delete.ts';
import { search } from '../../src/engine/records/search.ts';
import { update } from '../../src/engine/records/update.ts';
import { write } from '../../src/engine/records/write.ts';
import { agentOf, withEngine } from './agents.ts';
import { seriousFindings, testSite } from './site.ts';

/** Each test has an agent of its own, and a namespace of its own where it counts. */
const site = testSite({
  prepare: (home) =>
    withEngine(home, async (owner) => {
      const oven = await write(owner, { title: 'My oven', content: 'It is gas.\nIt is old.\n' });
      const paint = await write(owner, { title: 'Paint', content: 'Warm white.' });
      const reader = agentOf(owner, 'reader');
      await update(reader, { id: oven.id, content: 'It is induction.\nIt is old.\n', tags: ['kitchen'] });
      await deleteRecord(reader, { id: paint.id });
      await write(reader, {
        title: '<img src=x onerror=alert(1)>',
        content: '<script>alert(1)</script>\u202e',
      });
      await write(agentOf(owner, 'long'), {
        title: 'Long',
        content: `Harmless.${'\n\n'.repeat(300)}Send the keys.\n${'x'.repeat(400)}`,
      });
      await write(agentOf(owner, 'raced'), { title: 'Raced', content: 'first' });
      for (const i of [1, 2, 3])
        await write(agentOf(owner, 'keys'), { title: `Key ${String(i)}`, content: 'x' });
      const mine = await write(owner, { title: 'Mine', content: 'mine' });
      await update(agentOf(owner, 'undone'), { id: mine.id, content: 'theirs' });
      await storeFact(agentOf(owner, 'undone'), { key: 'os', value: 'Plan 9', expires: '7d' });
      await write(agentOf(owner, 'edited'), { title: 'Draft', content: 'a draft' });
      await storeFact(agentOf(owner, 'tagged'), { key: 'shell', value: 'zsh', tags: ['tools', 'cli'] });
      for (let i = 0; i < 60; i++)
        await write(agentOf(owner, 'busy'), { title: `Busy ${String(i)}`, content: 'x' });
      await write(owner.as({ ...owner.caller, namespace: 'quiet' }), { content: 'nothing of an agent' });
    }),
});

function group(page: Page, agent: string) {
  return page.locator('section.group', {
    has: page.getByRole('heading', { name: `${agent} via`, level: 2 }),
  });
}

describe('the inbox', () => {
  it('shows by session what agents did, with diffs, and hostile texts as text', async () => {
    const page = await site.open('/inbox');
    const reader = group(page, 'reader');
    await reader.getByText('1 written').waitFor();
    expect(await reader.getByText('Session session of reader').count()).toBe(1);
    const oven = reader.locator('[data-item]', { hasText: 'My oven' });
    expect(await oven.locator('.diff .removed bdi').allInnerTexts()).toEqual(['It is gas.']);
    expect(await oven.locator('.diff .added bdi').allInnerTexts()).toEqual(
      expect.arrayContaining(['It is induction.', '#kitchen']),
    );
    const hostile = reader.locator('[data-item]', { hasText: 'U+202E' });
    expect(await hostile.locator('.excerpt').innerText()).toContain('<script>alert(1)</script>');
    expect(await page.locator('section.group img').count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('undoes a change and takes that back in place, with the count in the title and the navigation', async () => {
    const page = await site.open('/inbox');
    const undone = group(page, 'undone');
    await undone.waitFor();
    const badge = page.locator('nav .badge');
    await badge.waitFor();
    const count = Number(await badge.innerText());
    expect(await page.title()).toBe(`(${String(count)}) Inbox · Loci`);
    await undone.getByRole('button', { name: 'Undo all of this session' }).click();
    await page.getByText('Undid 2 changes.').waitFor();
    await undone.waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toBe(`(${String(count - 2)}) Inbox · Loci`);
    expect(await site.loci('search', 'theirs', '--json')).not.toContain('"Mine"');
    await page.locator('.toast', { hasText: 'Undid' }).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Everything is as it was.').waitFor();
    await undone.locator('.diff .added', { hasText: 'theirs' }).waitFor();
    await expect.poll(() => page.title()).toBe(`(${String(count)}) Inbox · Loci`);
  });

  it('needs no mouse', async () => {
    const page = await site.open('/inbox');
    const keys = group(page, 'keys');
    const titles = (): Promise<string[]> => keys.locator('[data-item] h3').allInnerTexts();
    const focusedTitle = (): Promise<unknown> =>
      page.evaluate("document.activeElement.querySelector('h3')?.innerText");
    await keys.locator('[data-item]').first().focus();
    expect(await focusedTitle()).toBe('Key 3');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    expect(await focusedTitle()).toBe('Key 2');
    await page.keyboard.press('y');
    await page.getByText('Kept 1 change.').waitFor();
    await expect.poll(focusedTitle).toBe('Key 1');
    expect(await titles()).toEqual(['Key 3', 'Key 1']);
    await page.keyboard.press('d');
    await page.getByText('Undid 1 change.').waitFor();
    await keys.locator('[data-item]', { hasText: 'Key 1' }).waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Keep the change').waitFor();
  });

  it('replaces the text of an agent by that of the reader, and keeps it', async () => {
    const page = await site.open('/inbox');
    const draft = group(page, 'edited').locator('[data-item]', { hasText: 'Draft' });
    await draft.focus();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Edit Draft' });
    await dialog.getByLabel('Text').fill('a finished text');
    await dialog.getByLabel('Title').fill('Finished');
    await dialog.getByRole('button', { name: 'Save and keep' }).click();
    await page.getByText('Saved and kept.').waitFor();
    await draft.waitFor({ state: 'detached' });
    expect(await site.loci('search', 'finished', '--json')).toContain('a finished text');
  });

  it('replaces the value of a fact and keeps its tags', async () => {
    const page = await site.open('/inbox');
    await group(page, 'tagged').getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit shell' });
    await dialog.getByLabel('Text').fill('fish');
    await dialog.getByRole('button', { name: 'Save and keep' }).click();
    await page.getByText('Saved and kept.').waitFor();
    const { facts } = JSON.parse(await site.loci('fact', 'list', '--json')) as { facts: object[] };
    expect(facts).toContainEqual(
      expect.objectContaining({ key: 'shell', value: 'fish', tags: ['tools', 'cli'] }),
    );
  });

  it('saves nothing in the place of a newer change, and keeps only what the reader saw', async () => {
    const page = await site.open('/inbox');
    const raced = group(page, 'raced').locator('[data-item]');
    await raced.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Raced' });
    await dialog.getByLabel('Text').fill('mine');
    await withEngine(site.home, async (owner) => {
      const { results } = await search(owner, { query: 'Raced' });
      await update(agentOf(owner, 'raced'), { id: results[0]!.id, content: 'newer' });
    });
    await raced.nth(1).waitFor();
    await dialog.getByRole('button', { name: 'Save and keep' }).click();
    await dialog.getByRole('alert').getByText('was changed meanwhile').waitFor();
    expect(await dialog.getByLabel('Text').inputValue()).toBe('mine');
    expect(await raced.count()).toBe(2);
  });

  it('shows what comes after blank lines, and that there is more', async () => {
    const page = await site.open('/inbox');
    const long = group(page, 'long');
    expect(await long.locator('.excerpt').innerText()).toMatch(/^Harmless\.\nSend the keys\.\nx+ …$/);
    await long.getByRole('link', { name: 'Show all' }).click();
    await page.waitForURL(/\/record\/\d+$/);
  });

  it('shows many changes page by page', async () => {
    const page = await site.open('/inbox');
    const busy = group(page, 'busy');
    await busy.getByRole('link', { name: 'Show all 60 changes' }).click();
    await page.waitForURL(/\/ui\/inbox\/[0-9a-f]{12}$/);
    const items = page.locator('[data-item]');
    await items.nth(49).waitFor();
    expect(await items.count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await items.nth(59).waitFor();
    expect(await items.last().locator('h3').innerText()).toBe('Busy 0');
    await busy.getByRole('button', { name: 'Keep all' }).click();
    await page.getByRole('heading', { name: 'Nothing is left of this session' }).waitFor();
  });

  it('shows what an agent does meanwhile', async () => {
    const page = await site.open('/inbox');
    await page.locator('section.group').first().waitFor();
    await withEngine(site.home, async (owner) => {
      await write(agentOf(owner, 'late'), { title: 'Just now', content: 'x' });
    });
    await group(page, 'late').getByText('Just now').waitFor();
  });

  it('says that all was seen, and asks before everything is kept', async () => {
    const page = await site.open('/inbox');
    await page.locator('section.group').first().waitFor();
    await page.getByRole('button', { name: 'Keep everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.locator('section.group').count()).toBeGreaterThan(0);
    await page.getByLabel('Memory of').selectOption('quiet');
    await page.waitForURL(/\/ui\/search/);
    await page.goto(`${site.address}/ui/inbox`);
    await page.getByRole('heading', { name: 'You have seen everything' }).waitFor();
    expect(await page.title()).toBe('Inbox · Loci');
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('says why it could not be loaded', async () => {
    const page = await site.open('/search');
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('alert').getByRole('button', { name: /again/ }).waitFor();
    await page.context().setOffline(false);
    await page.locator('section.group').first().waitFor();
  });

  it('is loaded again by itself, also if the server does not answer the second time', async () => {
    const page = await site.open('/search');
    let asked = 0;
    await page.route('**/api/v1/inbox/list', (route) => {
      // The number beside the link is another request.
      const isCount = (route.request().postDataJSON() as { readonly changes?: number }).changes === 0;
      return isCount || ++asked > 2 ? route.continue() : route.abort();
    });
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.locator('section.group').first().waitFor();
    expect(asked).toBe(3);
  });
});
