import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { createPageCode } from '../../src/engine/access/sessions.ts';
import { openInline } from '../contract/engines.ts';
import { temporaryFolder } from './loci-command.ts';
import type { HttpRequestOptions, HttpResponse, TestServer } from './rest-server.ts';

/** A page of the owner: requests with its cookie and the second secret. */
export interface OpenPage {
  readonly cookie: string;
  readonly csrf: string;
  /** What the server answered to the code. */
  readonly opened: { readonly csrf: string; readonly namespace: string; readonly expires_at: string };
  request(path: string, options?: HttpRequestOptions): Promise<HttpResponse>;
}

/** The code of a link, as `loci ui` makes it. */
export async function makeCode({ home }: Pick<TestServer, 'home'>, now?: () => number): Promise<string> {
  const { values } = await loadConfig({ home, env: { LOCI_EMBEDDING_PROVIDER: 'none' } });
  const loci = await openInline(values, now === undefined ? {} : { now });
  try {
    return (await createPageCode(loci)).code;
  } finally {
    await loci.close();
  }
}

export async function openPage(server: TestServer): Promise<OpenPage> {
  const answer = await server.request('/ui/session', { body: { code: await makeCode(server) } });
  const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
  const cookie = setCookie.split(';')[0] ?? '';
  const opened = answer.json as OpenPage['opened'];
  return {
    cookie,
    csrf: opened.csrf,
    opened,
    request: (path, options = {}) =>
      server.request(path, {
        ...options,
        headers: { cookie, 'x-loci-csrf': opened.csrf, ...options.headers },
      }),
  };
}

/** A folder with the files of a built page. */
export function webFolder(
  files: Readonly<Record<string, string>> = { 'index.html': '<title>Loci</title>' },
): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}
