import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '2026.9.6';
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));
/** OpenClaw has 650 MB, so that it is installed once, outside of the checkout. */
export const CACHE: string = join(
  process.env['LOCI_OPENCLAW_CACHE'] ?? join(homedir(), '.cache', 'loci-openclaw'),
  VERSION,
);
export const PROGRAM: string = join(CACHE, 'node_modules', 'openclaw', 'openclaw.mjs');

/** Installs OpenClaw unless it is installed already. */
export async function installOpenclaw(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', ['install', `openclaw@${VERSION}`, ...options], { cwd: CACHE, timeout: 240_000 });
}
