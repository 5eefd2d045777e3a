import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { copyOfVault, loci, type RunningLoci, startLoci, temporaryFolder } from '../e2e/loci-command.ts';
import { launchBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A running `loci ui` on a copy of the example vault, and a browser. */
export interface Site {
  readonly home: string;
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** Stops the server. Returns what starts it again at the same port. */
  stop(): Promise<() => Promise<void>>;
  /** Runs a command on the home. */
  loci(...args: string[]): Promise<string>;
  /** Makes a link that opens a session. */
  link(): Promise<string>;
  /** Opens a page in a browser of its own, with the session of the site. What the browser complains about fails the test. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

interface SiteOptions {
  /** Further settings of loci.yaml. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether nothing is indexed before the server starts. */
  readonly isEmpty?: boolean;
  /** Whether each page opens a session of its own. Otherwise all have one, which saves a command and a page for each test. */
  readonly ownSessions?: boolean;
  /** Called before the server starts. */
  readonly prepare?: (home: string) => Promise<void>;
}

/** Starts a site for the tests of a file. */
export function testSite({
  settings = {},
  isEmpty = false,
  ownSessions = false,
  prepare,
}: SiteOptions = {}): Site {
  let server: RunningLoci;
  let browser: Browser;
  const site = { home: '', address: '' };
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await loci(args, { home: site.home });
    if (code !== 0) throw new Error(`loci ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    server = startLoci(['ui', '--print', '--json'], { home: site.home, env });
    site.address = new URL(await firstLink(server)).origin;
  };
  const stop = async (): Promise<void> => {
    server.child.kill('SIGTERM');
    const { code, stdout, stderr } = await server.ended;
    expect([code, stdout, stderr]).toEqual([0, stdout, stderr]);
  };
  beforeAll(async () => {
    site.home = join(temporaryFolder(), 'home');
    mkdirSync(site.home);
    const text = { server: { port: 0 }, writes: { enabled: true }, ...settings };
    writeFileSync(join(site.home, 'loci.yaml'), stringify(text));
    if (!isEmpty) await run('index', copyOfVault());
    await prepare?.(site.home);
    await start();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stop();
  });
  let session: BrowserContextOptions['storageState'];
  const link = async (): Promise<string> =>
    (JSON.parse(await run('ui', '--print', '--json')) as { url: string }).url;
  return {
    link,
    get home() {
      return site.home;
    },
    get address() {
      return site.address;
    },
    loci: run,
    stop: async () => {
      await stop();
      return () => start({ LOCI_SERVER_PORT: new URL(site.address).port });
    },
    open: async (path, options) => {
      const storageState = ownSessions ? undefined : session;
      const context = await browser.newContext({
        locale: 'en-US',
        reducedMotion: 'reduce',
        ...(storageState && { storageState }),
        ...options,
      });
      // A limit for what hangs: a busy machine takes longer.
      context.setDefaultTimeout(100_000);
      const page = await context.newPage();
      const problems = watch(page, site.address);
      onTestFinished(async () => {
        await context.close();
        expect(problems).toEqual([]);
      });
      if (storageState === undefined) {
        await page.goto(await link());
        await page.locator('nav').first().waitFor({ state: 'attached' });
        session = await context.storageState();
      }
      await page.goto(`${site.address}/ui${path}`);
      return page;
    },
  };
}

/** The link that the command prints first. */
async function firstLink({ child, ended }: RunningLoci): Promise<string> {
  let text = '';
  const printed = new Promise<string>((resolve) => {
    const onData = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.trimEnd().endsWith('}')) return;
      child.stdout?.off('data', onData);
      resolve((JSON.parse(text) as { url: string }).url);
    };
    child.stdout?.on('data', onData);
  });
  const failed = ended.then(({ stdout, stderr }) => {
    throw new Error(`loci ui ended: ${stdout}${stderr}`);
  });
  return Promise.race([printed, failed]);
}

/** Collects errors of the console, exceptions, and requests to other origins, for as long as the page is open. */
function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    // The browser reports every answer of 400 and more as an error, those that a test asks for too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (
      url.protocol !== 'blob:' &&
      url.protocol !== 'data:' &&
      url.protocol !== 'obsidian:' &&
      url.origin !== origin
    )
      problems.push(`request to ${request.url()}`);
  });
  return problems;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The serious findings of axe-core on the page as it is shown now. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
}

/** Whether nothing is wider than the window. */
export async function fitsWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}
