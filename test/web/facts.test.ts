import { describe, expect, it } from 'vitest';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const HOSTILE = '\u202ekind\u202c <img src=x onerror=alert(1)> [click](javascript:alert(1))';
const LISTED = 52;

const site = testSite({
  prepare: async () => {
    await site.loci('fact', 'store', 'framework', 'React, with TypeScript', '--expires', '3d');
    const conventions = ['--category', 'project_conventions', '--tag', 'ops', '--expires', '30d'];
    await site.loci('fact', 'store', 'deploy', 'Deploy via Konflux only.', ...conventions);
    await site.loci('fact', 'store', 'hostile', HOSTILE, '--expires', '60d');
  },
});

describe('the page of facts', () => {
  it('lists facts, those that expire first before the others, with the time left and who stored them', async () => {
    const page = await site.open('/facts');
    const facts = page.locator('[data-fact]');
    await facts.first().waitFor();
    const keys = await Promise.all((await facts.all()).map((fact) => fact.getAttribute('data-fact')));
    expect(keys).toEqual(['framework', 'deploy', 'hostile']);
    await facts.first().getByText('expires in 3 days').waitFor();
    await facts.first().getByText('stored by you').waitFor();
    await page.getByLabel(/^Order/).selectOption('newest');
    await page.locator('li:first-child[data-fact=hostile]').waitFor();
    expect(page.url()).toContain('sort=newest');
  });

  it('shows those of a category, or whose key begins with a text', async () => {
    const page = await site.open('/facts');
    await page.getByRole('button', { name: 'project_conventions 1' }).click();
    await page.getByRole('status').getByText('1 fact', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByLabel('Key begins with').fill('fram');
    await page.locator('[data-fact=deploy]').waitFor({ state: 'detached' });
    await page.locator('[data-fact=framework]').waitFor();
    await page.getByLabel('Key begins with').fill('none');
    await page.getByRole('heading', { name: 'No fact matches' }).waitFor();
  });

  it('prolongs a fact, forgets it, and undoes both', async () => {
    const page = await site.open('/facts');
    const fact = page.locator('[data-fact=framework]');
    await page.getByLabel('Keep framework for').selectOption('365');
    await fact.getByText('expires in 12 months').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await fact.getByText('expires in 3 days').waitFor();
    await page.getByRole('button', { name: 'Forget framework' }).click();
    await fact.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await fact.getByText('React, with TypeScript').waitFor();
  });

  it('edits a fact in place, and undoes that', async () => {
    const page = await site.open('/facts');
    const fact = page.locator('[data-fact=deploy]');
    await page.getByRole('button', { name: 'Edit deploy' }).click();
    await page.getByRole('textbox', { name: 'Value' }).fill('Deploy on Mondays.');
    await page.keyboard.press('Control+Enter');
    await fact.getByText('Deploy on Mondays.').waitFor();
    await fact.getByText('#ops').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await fact.getByText('Deploy via Konflux only.').waitFor();
  });

  it('adds a fact, and says why one is refused', async () => {
    const page = await site.open('/facts');
    await page.getByRole('button', { name: 'New fact' }).click();
    await page.getByLabel('Key', { exact: true }).fill('coffee');
    await page.getByRole('textbox', { name: 'Value' }).fill('Oat milk');
    await page.getByLabel(/^Category/).fill('pack_history');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('pack_history').waitFor();
    await page.getByLabel(/^Category/).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-fact=coffee]').getByText('Oat milk').waitFor();
    await site.loci('fact', 'forget', 'coffee');
  });

  it('shows hostile values as text', async () => {
    const page = await site.open('/facts');
    const fact = page.locator('[data-fact=hostile]');
    await fact.getByText('U+202E').waitFor();
    await fact.getByText('[click](javascript:alert(1))').waitFor();
    expect(await fact.locator('img, a[href^=javascript]').count()).toBe(0);
  });

  it('has its pages from the server, and follows what others store', async () => {
    for (let i = 3; i < LISTED; i++)
      await site.loci('fact', 'store', `k${String(i)}`, 'v', '--expires', '90d');
    const page = await site.open('/facts', { colorScheme: 'dark', viewport: { width: 360, height: 800 } });
    await page
      .getByRole('status')
      .getByText(`${String(LISTED)} facts`)
      .waitFor();
    expect(await page.locator('[data-fact]').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    const facts = page.locator('[data-fact]');
    await facts.nth(LISTED - 1).waitFor();
    // The list follows what others store, and what was loaded stays.
    await site.loci('fact', 'store', 'of-another', 'v', '--expires', '1d');
    await page.locator('li:first-child[data-fact=of-another]').waitFor();
    expect(await facts.count()).toBe(LISTED + 1);
    await page.getByRole('button', { name: 'Edit framework' }).click();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
