import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/web/browser.ts';
import type { BenchStore } from './fill.ts';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';

const MAIN = fileURLToPath(new URL('../src/surfaces/cli/main.ts', import.meta.url));
/** Loads of each page. */
const LOADS = 5;
const MAX_FIRST_PAINT_MS = 1000;
const MAX_BLOCKED_MS = 50;

/**
 * Measures the page in the installed Chromium on a copy of the store in `folder`, without embeddings: when it first shows something,
 * and how long typing in the search blocks it. The baseline is the page of an empty store.
 */
export async function measurePage(bench: BenchStore, folder: string): Promise<Measure[]> {
  const browser = await launchBrowser();
  try {
    const empty = await measureStore(browser, join(folder, 'empty'), []);
    const filled = await measureStore(
      browser,
      join(folder, 'filled'),
      bench.queries.slice(0, LOADS).map(({ text }) => text),
      bench.path,
    );
    return [
      ...filled.paints.map(([path, ours]): Measure => ({
        what: `first paint of ${path}`,
        unit: 'ms',
        ours,
        baseline: { name: 'an empty store', value: empty.paints.find(([each]) => each === path)![1] },
        target: { of: 'ours', most: MAX_FIRST_PAINT_MS, checked: false },
      })),
      {
        what: 'longest block of the page while a query is typed',
        unit: 'ms',
        ours: filled.blockedMs,
        target: { of: 'ours', most: MAX_BLOCKED_MS, checked: false },
      },
      { what: 'results after the last key', unit: 'ms', ours: filled.answeredMs },
    ];
  } finally {
    await browser.close();
  }
}

const PATHS = ['/search', '/inbox', '/records', '/records/timeline'];

interface PageFigures {
  /** The median time of the first paint of each path, in milliseconds. */
  readonly paints: readonly (readonly [path: string, ms: number])[];
  /** The longest task that blocked the page while queries were typed; 0 if none took 50 ms. */
  readonly blockedMs: number;
  /** From the last key of a query until its results are shown, the median. */
  readonly answeredMs: number;
}

async function measureStore(
  browser: Browser,
  home: string,
  queries: readonly string[],
  store?: string,
): Promise<PageFigures> {
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, 'loci.yaml'),
    'namespace: bench-0\nembedding:\n  provider: none\nserver:\n  port: 0\n',
  );
  if (store !== undefined) copyFileSync(store, join(home, 'loci.db'), constants.COPYFILE_FICLONE);
  const { child, link } = await startPage(home);
  try {
    const page = await browser.newPage();
    await page.goto(link);
    await page.locator('nav').first().waitFor({ state: 'attached' });
    const { origin } = new URL(link);
    const paints: [string, number][] = [];
    for (const path of PATHS) {
      const times: number[] = [];
      for (let i = 0; i < LOADS; i++) times.push(await firstPaint(page, `${origin}/ui${path}`));
      paints.push([path, quantile(times, 0.5)]);
    }
    const typed = await typeQueries(page, `${origin}/ui/search`, queries);
    return { paints, ...typed };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
}

/** Starts `loci ui`, which prints a link that opens a session. */
async function startPage(home: string): Promise<{ child: ChildProcess; link: string }> {
  const child = spawn(process.execPath, [MAIN, 'ui', '--print', '--json'], {
    env: { ...process.env, LOCI_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.trimEnd().endsWith('}')) break;
  }
  return { child, link: (JSON.parse(text) as { url: string }).url };
}

async function firstPaint(page: Page, address: string): Promise<number> {
  await page.goto(address);
  return page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      const paint = list.getEntriesByName('first-contentful-paint')[0];
      if (paint) resolve(paint.startTime);
    }).observe({ type: 'paint', buffered: true }))`,
  );
}

async function typeQueries(
  page: Page,
  address: string,
  queries: readonly string[],
): Promise<Pick<PageFigures, 'blockedMs' | 'answeredMs'>> {
  await page.goto(address);
  await page.evaluate(
    `window.blocked = [];
    new PerformanceObserver((list) => window.blocked.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: 'longtask' })`,
  );
  const times: number[] = [];
  for (const query of queries) {
    const field = page.getByRole('searchbox');
    await field.fill('');
    await field.pressSequentially(query, { delay: 30 });
    const began = performance.now();
    await page.locator('.results:not(.stale) [data-result]').first().waitFor();
    times.push(performance.now() - began);
  }
  const blocked = await page.evaluate<number[]>('window.blocked');
  return { blockedMs: Math.max(0, ...blocked), answeredMs: times.length === 0 ? 0 : quantile(times, 0.5) };
}
