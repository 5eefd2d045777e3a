import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ExportedGraph } from '../../src/graph/export-schema.ts';
import type { ReceiptShowOutput } from '../../src/engine/packs/receipts.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { fitsWindow, seriousFindings, testSite } from './site.ts';

const site = testSite();

const canvas = (page: Page) => page.getByRole('img', { name: /drawing of [\d,]+ nodes/ });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Selected node' });

async function exported(): Promise<ExportedGraph> {
  return JSON.parse(await site.loci('graph', 'export')) as ExportedGraph;
}

describe('the graph page', () => {
  it('draws the graph, and has the same data as a table, sorted and in pages', async () => {
    const page = await site.open('/graph');
    await canvas(page).waitFor();
    const label = await canvas(page).getAttribute('aria-label');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(50);
    expect(await rows.first().textContent()).toContain('Kitchen remodel');
    const nodes = /drawing of (\d+) nodes and (\d+)/.exec(label!)!;
    await page.getByText(`1–50 of ${nodes[1]!}`).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(`51–100 of ${nodes[1]!}`).waitFor();
    await page.getByRole('button', { name: /^Title/ }).click();
    expect(await page.locator('th').first().getAttribute('aria-sort')).toBe('ascending');
    await page
      .getByRole('button', { name: /^Connections/ })
      .first()
      .click();
    await page.getByText(`1–50 of ${nodes[2]!}`).waitFor();
    expect(page.url()).toContain('view=table');
  });

  it('shows the nodes with the most connections first, and more on request', async () => {
    const page = await site.open('/graph?nodes=3');
    await page.getByRole('img', { name: /^A drawing of 3 nodes/ }).waitFor();
    await page.getByText(/^3 of \d+ nodes/).waitFor();
    await page.getByRole('button', { name: 'Show more nodes' }).click();
    await page.getByRole('img', { name: /^A drawing of \d{2,} nodes/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?nodes=503');
    expect(await page.getByRole('button', { name: 'Show more nodes' }).count()).toBe(0);
  });

  it('is filtered by title, type, project and tag, which the address keeps', async () => {
    const page = await site.open('/graph');
    await canvas(page).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: /^note \d/ }).click();
    await page.getByRole('button', { name: /^home \d/ }).click();
    await page.getByRole('searchbox').fill('KITCHEN');
    await page.getByRole('img', { name: 'A drawing of 3 nodes' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=KITCHEN&project=home&type=note');
    await page.reload();
    await page.getByRole('img', { name: 'A drawing of 3 nodes' }).waitFor();
    await page.getByRole('searchbox').fill('no such title');
    await page.getByRole('heading', { name: 'No node passes these filters' }).waitFor();
  });

  it('shows where a node and its connections come from, what is near it, and how it leads to another', async () => {
    const page = await site.open('/graph?view=table');
    await page.getByRole('button', { name: 'Kitchen remodel' }).first().click();
    await panel(page).getByText('Home/Kitchen remodel.md', { exact: true }).first().waitFor();
    await panel(page).getByText('linked under ‘People’').first().waitFor();
    expect(await panel(page).getByRole('link', { name: 'Open the record' }).getAttribute('href')).toMatch(
      /^\/ui\/record\/\d+$/,
    );
    await panel(page).getByRole('textbox').or(panel(page).getByRole('combobox')).fill('Contractor quotes');
    await panel(page).getByRole('button', { name: 'Find the path' }).click();
    await panel(page).getByRole('button', { name: 'Remove the path' }).waitFor();
    expect(await panel(page).locator('ol li').count()).toBe(2);
    await panel(page).getByRole('button', { name: 'Remove the path' }).click();
    await panel(page).getByRole('button', { name: 'Show what is near' }).click();
    await page.getByText('What is near').first().waitFor();
    await page.getByRole('button', { name: 'Show the whole graph' }).click();
    await page.getByRole('button', { name: 'Show the whole graph' }).waitFor({ state: 'detached' });
  });

  it('selects a node where the drawing is clicked, and moves and zooms by keys', async () => {
    const page = await site.open('/graph?q=contractor+quotes&type=decision');
    await page.getByRole('img', { name: 'A drawing of 1 node' }).waitFor();
    const box = (await page.locator('.graph-canvas').boundingBox())!;
    // The drawing is there some frames after its element. Two clicks in a short time would be a double click.
    await expect
      .poll(
        async () => {
          await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
          return new URL(page.url()).searchParams.has('node');
        },
        { interval: 700, timeout: 100_000 },
      )
      .toBe(true);
    await panel(page).getByRole('heading', { name: 'Contractor quotes' }).waitFor();
    await page.getByRole('img', { name: 'A drawing of 1 node' }).focus();
    for (const key of ['ArrowLeft', '+', '-', '0']) await page.keyboard.press(key);
  });

  it('shows the path that led to a record of a receipt', async () => {
    await site.loci('pack', 'contractor quotes', '--use-graph', '--budget', '3000');
    const { receipt } = JSON.parse(
      await site.loci('receipt', 'show', 'latest', '--json'),
    ) as ReceiptShowOutput;
    const led = receipt.candidates.find(({ path }) => (path?.length ?? 0) > 0)!;
    const page = await site.open(`/graph?receipt=${receipt.id}&item=${led.record}`);
    const aside = page.getByRole('complementary', { name: 'Why this was given to an agent' });
    await aside.locator('ol li').nth(led.path!.length).waitFor();
    const direct = receipt.candidates.find(({ path }) => path === null)!;
    const other = await site.open(`/graph?receipt=${receipt.id}&item=${direct.record}`);
    await other.getByText('The search found it directly').waitFor();
  });

  it('compares two exports in colour and shape, and says what is wrong with a file', async () => {
    const folder = temporaryFolder();
    const before = await exported();
    const [gone, renamed] = [before.nodes[0]!, before.nodes[1]!];
    const after = {
      ...before,
      nodes: [{ ...renamed, title: 'Another title' }, ...before.nodes.slice(2)],
      edges: before.edges.filter(({ src, dst }) => src !== gone.id && dst !== gone.id),
    };
    const files = { before, after, wrong: { version: 1, nodes: [{}], edges: [] } };
    for (const [name, value] of Object.entries(files))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
    const page = await site.open('/graph/compare');
    const [earlier, later] = [page.getByLabel('Earlier export'), page.getByLabel('Later export')];
    await earlier.setInputFiles(join(folder, 'wrong.json'));
    await page.getByRole('alert').getByText('wrong.json is no export of a graph.').waitFor();
    await earlier.setInputFiles(join(folder, 'before.json'));
    await later.setInputFiles(join(folder, 'after.json'));
    await page.getByText(/^0 added, \d+ removed, 1 changed$/).waitFor();
    const legend = page.getByRole('list', { name: 'Legend' });
    expect(await legend.getByRole('listitem').allTextContents()).toEqual(['removed', 'changed', 'as before']);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('button', { name: 'Another title' }).click();
    await panel(page).getByText('What differs: title').waitFor();
  });

  it('has the table where WebGL is missing', async () => {
    const page = await site.open('/search');
    await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null;');
    await page.goto(`${site.address}/ui/graph`);
    await page.getByText('WebGL 2 is off or missing').waitFor();
    await page.getByRole('button', { name: 'Kitchen remodel' }).first().waitFor();
  });

  it.each([
    ['light', 360, 'table'],
    ['dark', 1280, 'graph'],
  ] as const)(
    'has no serious finding of axe in %s at %i px as a %s, and nothing wider than the window',
    async (colorScheme, width, view) => {
      const page = await site.open(`/graph?view=${view}`, { colorScheme, viewport: { width, height: 800 } });
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByRole('button', { name: 'Table', exact: true }).click();
      await page.getByRole('button', { name: 'Kitchen remodel' }).first().click();
      await panel(page).getByText('linked under ‘People’').first().waitFor();
      if (view === 'graph') await page.getByRole('button', { name: 'Graph', exact: true }).click();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await fitsWindow(page)).toBe(true);
    },
  );
});
