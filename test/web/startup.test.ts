import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const HOSTILE = 'Be \u202ekind\u202c <img src=x onerror=alert(1)>';

const site = testSite({
  settings: { startup: { maxChars: 120, maxCharsByModel: { haiku: 40 } } },
  prepare: async () => {
    await site.loci('startup', 'set', 'soul', 'You are Ada.', '--priority', '0');
    await site.loci('startup', 'set', 'alpha', 'Ask before you spend money.', '--priority', '1');
    await site.loci('startup', 'set', 'beta', 'Write short mails.', '--priority', '1');
    await site.loci('startup', 'set', 'tone', 'Formal.', '--agent', 'mailer', '--priority', '3');
    await site.loci('startup', 'set', 'hostile', HOSTILE, '--priority', '4');
  },
});

async function order(page: Page): Promise<(string | null)[]> {
  const entries = page.locator('[data-entry]');
  await entries.first().waitFor();
  return Promise.all((await entries.all()).map((entry) => entry.getAttribute('data-entry')));
}

async function undo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).last().click();
}

describe('the page of the startup text', () => {
  it('shows the text as each model and agent gets it, and what is left out and why', async () => {
    const page = await site.open('/startup');
    expect(await order(page)).toEqual(['soul', 'alpha', 'beta', 'hostile']);
    await page.getByRole('img', { name: /of 120 characters/ }).waitFor();
    await page.getByLabel('As this model gets it').selectOption('haiku');
    await page.getByRole('img', { name: /of 40 characters/ }).waitFor();
    await page.locator('[data-entry=hostile]').getByText('left out').waitFor();
    await page.getByLabel(/^For/).selectOption('mailer');
    await page.locator('[data-entry=tone]').getByText('only mailer').waitFor();
    expect(page.url()).toContain('model=haiku&agent=mailer');
    await page.getByText('The text as the model reads it').click();
    expect(await page.locator('.as-model pre').textContent()).toContain('You are Ada.');
  });

  it('moves entries by buttons, within their priority and beyond it, and undoes that', async () => {
    const page = await site.open('/startup');
    expect(await order(page)).toEqual(['soul', 'alpha', 'beta', 'hostile']);
    await page.getByRole('button', { name: 'Move beta up' }).press('Enter');
    await page.getByText('beta is moved').waitFor();
    await page.locator('[data-entry=beta] + [data-entry=alpha]').waitFor();
    await undo(page);
    await page.locator('[data-entry=alpha] + [data-entry=beta]').waitFor();
    await page.getByRole('button', { name: 'Move alpha up' }).click();
    await page.getByRole('heading', { name: 'Priority 1' }).waitFor();
    await page.locator('[data-entry=soul] + [data-entry=alpha]').waitFor();
    await undo(page);
    await page.locator('[data-entry=alpha] + [data-entry=beta]').waitFor();
  });

  it('moves entries by dragging', async () => {
    const page = await site.open('/startup');
    await order(page);
    await page.locator('[data-entry=beta]').dragTo(page.locator('[data-entry=alpha]'), {
      targetPosition: { x: 60, y: 6 },
    });
    await page.locator('[data-entry=beta] + [data-entry=alpha]').waitFor();
    await undo(page);
    await page.locator('[data-entry=alpha] + [data-entry=beta]').waitFor();
  });

  it('edits in place with the budget that the text would take, and undoes that', async () => {
    const page = await site.open('/startup');
    await page.getByRole('button', { name: 'Edit alpha' }).click();
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Ask. '.repeat(40));
    await page.getByText('with what you write now').waitFor();
    await page.locator('[data-entry=alpha]').getByText('characters fit').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('[data-entry=alpha]').getByText('27 characters').waitFor();
    await page.getByRole('button', { name: 'Edit alpha' }).click();
    await text.fill('Ask first.');
    await text.press('Control+Enter');
    await page.locator('[data-entry=alpha]').getByText('Ask first.').waitFor();
    await undo(page);
    await page.locator('[data-entry=alpha]').getByText('Ask before you spend money.').waitFor();
  });

  it('adds and removes entries, and undoes that', async () => {
    const page = await site.open('/startup');
    await page.getByRole('button', { name: 'New entry' }).click();
    await page.getByLabel('Name', { exact: true }).fill('zeta');
    await page.getByRole('textbox', { name: 'Text' }).fill('Last words.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-entry=zeta]').waitFor();
    await page.getByRole('button', { name: 'Remove zeta' }).click();
    await page.locator('[data-entry=zeta]').waitFor({ state: 'detached' });
    await undo(page);
    await page.locator('[data-entry=zeta]').getByText('Last words.').waitFor();
    await page.getByRole('button', { name: 'Remove zeta' }).click();
    await page.locator('[data-entry=zeta]').waitFor({ state: 'detached' });
  });

  it('shows why an entry is refused', async () => {
    const page = await site.open('/startup');
    await page.getByRole('button', { name: 'New entry' }).click();
    await page.getByLabel('Name', { exact: true }).fill('agent of none');
    await page.getByLabel('Only for this agent').fill('a\tb');
    await page.getByRole('textbox', { name: 'Text' }).fill('Text.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('control characters').waitFor();
  });

  it('shows hostile texts as text', async () => {
    const page = await site.open('/startup');
    const entry = page.locator('[data-entry=hostile]');
    await entry.getByText('U+202E').waitFor();
    expect(await entry.locator('img').count()).toBe(0);
  });

  it('has no serious finding of axe in its forms, and nothing wider than the window', async () => {
    const page = await site.open('/startup', { colorScheme: 'dark', viewport: { width: 360, height: 800 } });
    await page.getByRole('button', { name: 'Edit alpha' }).click();
    await page.getByRole('button', { name: 'New entry' }).click();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
