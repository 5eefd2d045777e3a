import { mkdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import { parseJson } from '../../../core/json.ts';
import type { PageLink } from '../../shared/run-standalone.ts';

/** The request of `loci ui` to a process of the same home. */
export const LINK_REQUEST = '"page-link"\n';
const TIMEOUT_MS = 3000;
const MAX_ANSWER_BYTES = 4096;

const pageLink: z.ZodType<PageLink> = z.strictObject({
  address: z.string().startsWith('http://'),
  code: z.string(),
  expiresAt: z.number(),
});

/**
 * A link to the web page of a running server of this home; `null` if there is none. Only processes of this user can listen at
 * the sockets, whoever listens at the port of the settings.
 */
export async function findPageLink(home: string, env: NodeJS.ProcessEnv): Promise<PageLink | null> {
  if (process.platform === 'win32' || env['LOCI_COMMAND_SOCKET'] === 'off') return null;
  const folder = await privateFolder(home).catch(() => null);
  if (folder === null) return null;
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sock'));
  const answers = await Promise.all(names.map((name) => ask(join(folder, name))));
  return answers.find((answer) => answer !== null) ?? null;
}

function ask(path: string): Promise<PageLink | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    const end = (link: PageLink | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(link);
    };
    const timer = setTimeout(end, TIMEOUT_MS, null);
    socket.setEncoding('utf8');
    socket.on('error', () => end(null)).on('close', () => end(null));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER_BYTES) end(null);
    });
    socket.on('end', () => end(pageLink.safeParse(parseJson(text)).data ?? null));
    socket.write(LINK_REQUEST);
  });
}

/** Makes the folder of the sockets in the home if it is missing. Returns `null` for one that other users can enter. */
export async function privateFolder(home: string): Promise<string | null> {
  const folder = join(home, 'run');
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(folder);
  const isPrivate = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  return isPrivate ? folder : null;
}
