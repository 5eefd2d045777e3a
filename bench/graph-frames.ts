import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { ExportedEdge, ExportedGraph, ExportedNode } from '../src/graph/export-schema.ts';
import { launchBrowser } from '../test/web/browser.ts';
import { createRandom } from './random.ts';
import type { Measure } from './report.ts';

const MAIN = fileURLToPath(new URL('../src/surfaces/cli/main.ts', import.meta.url));
const NODES = 5000;
const EDGES = 15_000;
const PAN_MS = 4000;
/** Frames a second that are wanted on a machine with a graphics processor. */
const MIN_FRAMES = 30;
/** The share of the frames of an empty drawing that must remain where software draws, which a graphics processor would not. */
const MIN_SHARE = 0.5;

/**
 * Measures the frames that the installed Chromium draws while the graph of a page of `loci graph view` is dragged, by the browser's
 * own trace. The baseline is the page of a graph of one node.
 */
export async function measureGraphFrames(folder: string): Promise<Measure[]> {
  mkdirSync(folder, { recursive: true });
  const browser = await launchBrowser();
  try {
    const full = await framesOf(browser, await pageOf(folder, graphOf(NODES, EDGES), 'full'));
    const empty = await framesOf(browser, await pageOf(folder, graphOf(1, 0), 'empty'));
    return [
      {
        what: `frames while a graph of ${String(NODES)} nodes and ${String(EDGES)} edges is dragged`,
        unit: 'a second',
        ours: full,
        baseline: { name: 'a graph of one node', value: empty },
        target: { of: 'ratio', least: MIN_SHARE, checked: false },
      },
      {
        what: 'the same, on a graphics processor',
        unit: 'a second',
        ours: full,
        target: { of: 'ours', least: MIN_FRAMES, checked: false },
      },
    ];
  } finally {
    await browser.close();
  }
}

/** Groups of a hundred nodes; most edges are within them. */
function graphOf(nodeCount: number, edgeCount: number): ExportedGraph {
  const random = createRandom(7);
  const provenance = { node: 'n_0', record: 'Home:Note.md', lines: null, hash: '0' };
  const rest = { l0_abstract: null, l1_summary_ref: null, tags: [], task: null, provenance };
  const idOf = (i: number): string => `n_${i.toString(16).padStart(16, '0')}`;
  const nodes = Array.from({ length: nodeCount }, (_, i): ExportedNode => ({
    ...{ id: idOf(i), type: 'note', title: `Note ${String(i)}`, project: 'default' },
    ...rest,
  }));
  const edges = new Map<string, ExportedEdge>();
  while (edges.size < edgeCount) {
    const from = random.below(nodeCount);
    const near = Math.floor(from / 100) * 100 + random.below(100);
    const to = random.below(10) === 0 ? random.below(nodeCount) : Math.min(nodeCount - 1, near);
    const [src, dst] = [idOf(from), idOf(to)];
    if (from !== to)
      edges.set(`${src} ${dst}`, { src, dst, type: 'links_to', weight: 0.5, reason: 'linked', provenance });
  }
  return { version: 1, project: null, nodes, edges: [...edges.values()] };
}

/** Returns the address of the page. */
async function pageOf(folder: string, graph: ExportedGraph, name: string): Promise<string> {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(graph));
  await promisify(execFile)(process.execPath, [MAIN, 'graph', 'view', file]);
  return pathToFileURL(join(folder, `${name}.html`)).href;
}

/** Frames a second while the pointer drags the drawing around in circles. */
async function framesOf(browser: Browser, address: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(address);
  const box = (await page.locator('.graph-canvas').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await browser.startTracing(page, {
    categories: ['disabled-by-default-devtools.timeline.frame', 'devtools.timeline.frame'],
  });
  const began = performance.now();
  for (let step = 1; performance.now() - began < PAN_MS; step++)
    await page.mouse.move(x + 100 * Math.sin(step / 10), y + 100 * Math.cos(step / 10));
  const seconds = (performance.now() - began) / 1000;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string }[];
  };
  await page.close();
  return traceEvents.filter(({ name }) => name === 'DrawFrame').length / seconds;
}
