import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IncomingMessage } from 'node:http';
import { getMimeType } from 'hono/utils/mime';
import type { Hono } from 'hono';
import { z } from 'zod';
import { packageVersion } from '../../core/runtime.ts';
import { LociError } from '../../core/errors.ts';
import type { PageSession } from '../../engine/access/sessions.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { isFromThisMachine } from './hosts.ts';
import { type PageSessions, sessionCookie } from './page-sessions.ts';
import { countRequest, type Env, type RateLimit } from './authenticate.ts';
import { jsonBody, readBody } from './request-input.ts';

/** The path prefix of the web page. */
export const UI = '/ui/';
/** Vite names these files by their content. */
const HASHED = 'assets/';
const INDEX = 'index.html';

/** The page runs only what this server serves, asks no other host for anything, and is in no frame. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
    "font-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types dompurify",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'X-Frame-Options': 'DENY',
};

/** The built page in the package. */
const WEB_FOLDER: string = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

interface WebFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of the web page. Only those that were there when the server started are served. */
export class WebFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = new Set(names);
  }

  /** Lists the files of a folder, which may be missing. Links of the file system are left out. */
  static async list(folder: string = WEB_FOLDER): Promise<WebFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    return new WebFiles(
      folder,
      names.map((name) => name.replaceAll(sep, '/')),
    );
  }

  /** Whether the page was built. */
  get isBuilt(): boolean {
    return this.#names.has(INDEX);
  }

  /**
   * The file of a path below `/ui/`, or `index.html` for a path of the page itself, which names no file; `null` if there is none.
   * @param accepted the value of `Accept-Encoding`
   */
  async read(path: string, accepted: string): Promise<WebFile | null> {
    const asked = path.slice(UI.length);
    const isFile = this.#names.has(asked);
    if (!isFile && (posix.extname(asked) !== '' || asked.startsWith(HASHED))) return null;
    const name = isFile ? asked : INDEX;
    if (!this.#names.has(name)) return null;
    const isCompressed = accepted.includes('gzip') && this.#names.has(`${name}.gz`);
    // An update of the package may have removed it.
    const body = await readFile(join(this.#folder, isCompressed ? `${name}.gz` : name)).catch(() => null);
    if (body === null) return null;
    return {
      body: new Uint8Array(body),
      headers: {
        ...PAGE_HEADERS,
        'Content-Type': getMimeType(name) ?? 'application/octet-stream',
        'Cache-Control': name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
        Vary: 'Accept-Encoding',
        ...(isCompressed && { 'Content-Encoding': 'gzip' }),
      },
    };
  }
}

const MAX_CODE_BYTES = 1000;
const codeInput = z.strictObject({ code: z.string().describe('The code of the link.') });

interface PageRoutes {
  readonly files: WebFiles;
  readonly sessions: PageSessions;
  readonly limit: RateLimit;
  /** What `/` answers to programs. */
  readonly text: string;
}

/** The web page and its sessions. Only what describes or ends a session needs one. */
export function addPageRoutes(app: Hono<Env>, { files, sessions, limit, text }: PageRoutes): void {
  app.get('/', (c) => {
    const isBrowser = files.isBuilt && (c.req.header('accept') ?? '').includes('text/html');
    c.env.outgoing.setHeader('Vary', 'Accept');
    return isBrowser ? c.redirect(UI) : c.text(text);
  });
  app.get('/ui', (c) => c.redirect(UI));
  app.post('/ui/session', async (c) => {
    const { incoming, outgoing } = c.env;
    const input = parseInput(
      { input: codeInput },
      jsonBody(incoming, await readBody(incoming, MAX_CODE_BYTES)),
    );
    const opened = await sessions.open(input.code).catch((error: unknown) => {
      if (error instanceof LociError && error.code === 'unauthorized')
        countRequest(outgoing, limit, `address ${incoming.socket.remoteAddress ?? ''}`);
      throw error;
    });
    const { session, secret, csrf } = opened;
    outgoing.setHeader('Set-Cookie', sessionCookie(incoming, secret));
    return c.json({ csrf, ...describeSession(session, incoming) });
  });
  app.get('/ui/session', (c) => c.json(describeSession(c.get('identity').session!, c.env.incoming)));
  app.delete('/ui/session', async (c) => {
    await sessions.end(c.get('identity'));
    c.env.outgoing.setHeader('Set-Cookie', sessionCookie(c.env.incoming, null));
    return c.body(null, 204);
  });
  app.get(`${UI}*`, async (c) => {
    const file = await files.read(c.req.path, c.req.header('accept-encoding') ?? '');
    if (file !== null) return c.body(file.body, 200, file.headers);
    if (files.isBuilt)
      throw new LociError('not_found', 'the page has no such file', {
        hint: 'Load the page again; after an update of Loci, restart the server first.',
      });
    throw new LociError('not_found', 'this installation has no web page: the folder dist/web is missing', {
      hint: 'In a clone of the repository, `npm run build` makes it.',
    });
  });
}

function describeSession({ id, actor, namespace, expiresAt }: PageSession, request: IncomingMessage) {
  return {
    ...{ id, namespace, actor, expires_at: isoTime(expiresAt), version: packageVersion() },
    same_machine: isFromThisMachine(request),
  };
}
