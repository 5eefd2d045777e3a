import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { privateFolder } from '../command-socket/page-link.ts';

/** The browser of a snap cannot read hidden folders of the user: `firefox_firefox.desktop`. */
const SNAP_BROWSER = /^[a-z\d-]+_[\w-]+\.desktop$/i;

/** Opens a page with a secret in its address, without a shell. Returns false where there is no browser. */
export async function openInBrowser(url: string, home: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const hasScreen =
    process.platform !== 'linux' || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  if (!hasScreen) return false;
  const [program = '', ...parameters] = urlCommand((await privateAddress(url, home, env)) ?? url);
  const child = spawn(program, parameters, { env, stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
}

/**
 * A file that only this user can read and that leads to the page: all users of a machine can read the parameters of programs.
 * `null` where the browser could not read it.
 */
async function privateAddress(url: string, home: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (process.platform === 'win32' || (await isSnapBrowser(env))) return null;
  const folder = await privateFolder(home).catch(() => null);
  if (folder === null) return null;
  const file = join(folder, 'open.html');
  const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>Loci</title>\n`;
  await writeFile(file, html, { mode: 0o600 });
  return pathToFileURL(file).href;
}

async function isSnapBrowser(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const asked = promisify(execFile)('xdg-settings', ['get', 'default-web-browser'], { env, timeout: 2000 });
  return asked.then(
    ({ stdout }) => SNAP_BROWSER.test(stdout.trim()),
    () => false,
  );
}

/** The programs that open a URL with the program that is registered for it, without a shell. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` is a command of the shell, which would expand the percent signs.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function urlCommand(url: string): readonly string[] {
  return [...(OPENERS[process.platform] ?? ['xdg-open']), url];
}
