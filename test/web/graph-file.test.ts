import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ExportedEdge, ExportedGraph, ExportedNode } from '../../src/graph/export-schema.ts';
import { type CommandResult, loci, temporaryFolder } from '../e2e/loci-command.ts';
import { launchBrowser } from './browser.ts';
import { fitsWindow, seriousFindings } from './site.ts';

const HOSTILE =
  '</script><script>document.title = "taken"</script><img src="https://example.com/x" onerror=alert(1)>';

function node(id: string, title: string): ExportedNode {
  const provenance = { node: id, record: 'Home:A.md', lines: null, hash: '0' };
  const rest = { l0_abstract: HOSTILE, l1_summary_ref: null, tags: [HOSTILE], task: null, provenance };
  return { id, type: 'note', title, project: HOSTILE, ...rest };
}

function edge(src: string, dst: string): ExportedEdge {
  const provenance = { node: src, record: 'Home:A.md', lines: { first: 3, last: 3 }, hash: '0' };
  return { src, dst, type: 'links_to', weight: 0.5, reason: HOSTILE, provenance };
}

const BEFORE: ExportedGraph = {
  version: 1,
  project: null,
  nodes: [node('n_1', 'Oven'), node('n_2', 'Kitchen'), node('n_3', 'Gone')],
  edges: [edge('n_1', 'n_2'), edge('n_1', 'n_3')],
};
const AFTER: ExportedGraph = {
  ...BEFORE,
  nodes: [node('n_1', HOSTILE), node('n_2', 'Kitchen'), node('n_4', `\u202e${'x'.repeat(1_000_000)}`)],
  edges: [edge('n_1', 'n_2'), edge('n_2', 'n_4')],
};

let browser: Browser;
let folder: string;
const file = (name: string): string => join(folder, name);
const view = (...args: string[]): Promise<CommandResult> =>
  loci(['graph', 'view', ...args], { home: file('home') });

beforeAll(async () => {
  browser = await launchBrowser();
  folder = temporaryFolder();
  writeFileSync(file('before.json'), JSON.stringify(BEFORE));
  writeFileSync(file('after.json'), JSON.stringify(AFTER));
});

afterAll(() => browser.close());

/** Opens the file. A request and what the browser complains about fail the test. */
async function open(path: string, width = 1280): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => problems.push(dialog.message()));
  const address = pathToFileURL(path).href;
  page.on('request', (request) => request.url() !== address && problems.push(request.url()));
  onTestFinished(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });
  await page.goto(address);
  return page;
}

describe('the file of loci graph view', () => {
  it('is written beside the export, or where one says, and replaces only a file of its own', async () => {
    expect(await view(file('before.json'))).toMatchObject({ code: 0, stdout: `${file('before.html')}\n` });
    expect((await view(file('before.json'))).code).toBe(0);
    writeFileSync(file('own.html'), 'mine');
    const refused = await view(file('before.json'), '-o', file('own.html'));
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('own.html exists, and `loci graph view` did not make it');
    expect(readFileSync(file('own.html'), 'utf8')).toBe('mine');
    expect((await view(file('before.json'), '-o', file('own.html'), '--force')).code).toBe(0);
    const itself = await view(file('before.json'), '-o', file('before.json'), '--force');
    expect(itself.stderr).toContain('before.json is the export itself');
    writeFileSync(file('bad.json'), '{"version":1}');
    expect((await view(file('bad.json'))).stderr).toContain('bad.json is no export of a graph');
  });

  it('is the same, byte for byte, for the same export', async () => {
    await view(file('after.json'), '--diff', file('before.json'), '-o', file('one.html'));
    await view(file('after.json'), '--diff', file('before.json'), '-o', file('two.html'));
    expect(readFileSync(file('one.html'), 'utf8')).toBe(readFileSync(file('two.html'), 'utf8'));
  });

  it('opens from disk without any request, and no title breaks out of it', async () => {
    await view(file('after.json'), '-o', file('hostile.html'));
    const page = await open(file('hostile.html'));
    await page.getByRole('img', { name: 'A drawing of 3 nodes and 2 connections' }).waitFor();
    expect(await page.title()).toBe('after');
    expect(await page.locator('img, script[src], link').count()).toBe(0);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('button', { name: HOSTILE }).click();
    const panel = page.getByRole('complementary', { name: 'Selected node' });
    await panel.getByText('Home:A.md#L3-L3').waitFor();
    await page.getByText('U+202E').first().waitFor();
    await panel.getByRole('combobox').fill('Kitchen');
    await panel.getByRole('button', { name: 'Find the path' }).click();
    expect(await panel.locator('ol li').count()).toBe(2);
    await page.reload();
    await panel.getByRole('button', { name: 'Remove the path' }).waitFor();
  });

  it.each([1280, 360])('shows what has changed in shape and in words, at %i px', async (width) => {
    await view(file('after.json'), '--diff', file('before.json'), '-o', file('diff.html'));
    const page = await open(file('diff.html'), width);
    await page.getByText('2 added, 2 removed, 1 changed').waitFor();
    const legend = page.getByRole('list', { name: 'Legend' });
    expect(await legend.getByRole('listitem').allTextContents()).toEqual([
      'added',
      'removed',
      'changed',
      'as before',
    ]);
    expect(await legend.locator('polygon, circle').count()).toBe(4);
    const shapes = await Promise.all(
      (await legend.locator('polygon').all()).map((shape) => shape.getAttribute('points')),
    );
    expect(new Set(shapes).size).toBe(3);
    await page.getByRole('searchbox').fill('gone');
    await page.getByRole('img', { name: 'A drawing of 1 node and 0 connections' }).waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    expect(await page.locator('tbody tr').textContent()).toContain('removed');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await fitsWindow(page)).toBe(true);
  });
});
