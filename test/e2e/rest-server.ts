import { writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openLoci } from '../../src/engine/open.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Problem } from '../../src/surfaces/rest/http/problem.ts';
import { serve, type ServeOptions } from '../../src/surfaces/rest/serve.ts';
import { temporaryFolder } from './loci-command.ts';

type Tree = Readonly<Record<string, unknown>>;

export interface TestServer {
  readonly address: string;
  readonly home: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** The log, one JSON document a line. */
  readonly log: Record<string, unknown>[];
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** Creates a token in the store. Returns its text. */
  token(subject: string, ...scopes: string[]): Promise<string>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly token?: string;
  /** A value is sent as JSON, text as it is. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed. */
  readonly json: never;
  readonly problem: Problem;
}

/** Environment variables that would override the settings. */
const PLAIN: NodeJS.ProcessEnv = { LOCI_EMBEDDING_PROVIDER: 'none' };

/** A server on a free port with these additional settings; it ends with the test. */
export async function startServer(
  settings: Tree = {},
  options: Partial<ServeOptions> = {},
): Promise<TestServer> {
  const home = options.home ?? temporaryFolder();
  writeFileSync(
    join(home, 'loci.yaml'),
    stringify({ log: { level: 'info' }, writes: { enabled: true }, ...settings }),
  );
  const log: Record<string, unknown>[] = [];
  const logTo = { write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>) };
  const running = await serve({
    home,
    env: PLAIN,
    entries: OPERATIONS,
    logTo,
    ...options,
    listenAt: { port: 0, ...options.listenAt },
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= running.close());
  onTestFinished(close);
  const isUnix = running.address.startsWith('unix:');
  return {
    address: running.address,
    home,
    port: isUnix ? 0 : Number(new URL(running.address).port),
    log,
    ask: (path, asked) => ask(running.address, path, asked),
    token: (subject, ...scopes) => makeToken(home, subject, scopes),
    close,
  };
}

export async function makeToken(home: string, subject: string, scopes: readonly string[]): Promise<string> {
  const loci = await openLoci((await loadConfig({ home, env: PLAIN })).values);
  try {
    const made = await loci.access.create({ subject, name: `${subject}'s`, scopes, lifetimeMs: 60_000 });
    return made.text;
  } finally {
    await loci.close();
  }
}

/** One request over a new connection. */
export function ask(address: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { token, body, headers = {} } = options;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const to = address.startsWith('unix:')
    ? { socketPath: address.slice('unix:'.length), host: 'localhost' }
    : { host: new URL(address).hostname.replaceAll(/[[\]]/g, ''), port: new URL(address).port };
  return new Promise((resolve, reject) => {
    const sent = request({
      ...to,
      path,
      method: options.method ?? (text === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const answered = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: answered,
            get json() {
              return JSON.parse(answered) as never;
            },
            get problem() {
              return JSON.parse(answered) as Problem;
            },
          });
        });
    });
    sent.end(text);
  });
}
