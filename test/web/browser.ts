import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function findChromium(): string | undefined {
  const named = process.env['LOCI_CHROMIUM'];
  return named !== undefined && named !== '' ? named : PROGRAMS.find((path) => existsSync(path));
}

/** Installs Debian's Chromium and fonts unless there is a browser. @throws Error for a user who is not root */
export async function installChromium(): Promise<void> {
  if (findChromium() !== undefined) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      'Only root can install a browser for these tests. Install Chromium, or name it in LOCI_CHROMIUM.',
    );
  const packages = ['chromium', 'fonts-dejavu-core', 'fonts-noto-core'];
  await run('apt-get', ['update', '-q'], { timeout: 120_000 });
  const options = { timeout: 400_000, maxBuffer: 100_000_000 };
  await run('apt-get', ['install', '-yq', '--no-install-recommends', ...packages], options);
}

/** A name of this machine that is no loopback name, for the browser. */
export const OTHER_HOST = 'memory.example.org';

/** Starts a browser without a window. */
export async function launchBrowser(): Promise<Browser> {
  await installChromium();
  // Chromium refuses its sandbox to root, whom continuous integration runs as.
  const args = [`--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return chromium.launch({ executablePath: findChromium()!, args });
}
