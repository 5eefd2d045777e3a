// Writes the pictures of the README, docs/pictures/*.png, from the example vault in a browser: `npm run pictures`, after
// `npm run build`. It needs Chromium, as `npm run test:web` does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/web/browser.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LOCI = join(ROOT, 'bin/loci.js');
const PICTURES = join(ROOT, 'docs/pictures');

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly colorScheme: 'light' | 'dark';
  /** Waits until the page shows what the picture is about. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const TAKEN: readonly Picture[] = [
  {
    name: 'search',
    path: '/search?q=what+did+we+decide+about+the+oven',
    colorScheme: 'light',
    ready: async (page) => {
      await page.locator('[data-result]').first().waitFor();
      await page.locator('.why').first().click();
      await page.locator('.explanation').waitFor();
    },
  },
  {
    name: 'graph',
    path: '/graph?view=table',
    colorScheme: 'dark',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Kitchen remodel', exact: true }).first().click();
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page.getByRole('img', { name: /drawing/ }).waitFor();
      await page.getByRole('complementary').getByText('Home/Kitchen remodel.md').first().waitFor();
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'loci-pictures-'));
const home = join(folder, 'home');
const env = { ...process.env, LOCI_HOME: home };

async function loci(...args: string[]): Promise<void> {
  const [code] = (await once(
    spawn(process.execPath, [LOCI, ...args], { env, stdio: 'inherit' }),
    'close',
  )) as [number | null];
  if (code !== 0) throw new Error(`loci ${args.join(' ')} ended with ${String(code)}`);
}

mkdirSync(home);
mkdirSync(PICTURES, { recursive: true });
writeFileSync(join(home, 'loci.yaml'), 'server:\n  port: 0\nwrites:\n  enabled: true\n');
cpSync(join(ROOT, 'examples/vault'), join(folder, 'vault'), { recursive: true, preserveTimestamps: true });
await loci('index', join(folder, 'vault'));
const server = spawn(process.execPath, [LOCI, 'ui', '--print', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchBrowser();
try {
  let printed = '';
  for await (const chunk of server.stdout) {
    printed += String(chunk);
    if (printed.trimEnd().endsWith('}')) break;
  }
  const { url } = JSON.parse(printed) as { url: string };
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: 'en-US' });
  await page.goto(url);
  await page.locator('nav').first().waitFor();
  for (const { name, path, colorScheme, ready } of TAKEN) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(`${new URL(url).origin}/ui${path}`);
    await ready(page);
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await once(server, 'close');
  rmSync(folder, { recursive: true, force: true });
}
