import { writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { ProblemDetails } from '../../src/surfaces/rest/problem.ts';
import { serve, type ServeOptions } from '../../src/surfaces/rest/serve.ts';
import { openInline } from '../contract/engines.ts';
import { temporaryFolder } from './loci-command.ts';
import type { Scope } from '../../src/core/caller.ts';
import { createToken } from '../../src/engine/access/tokens.ts';

type Tree = Readonly<Record<string, unknown>>;

export interface TestServer {
  readonly address: string;
  readonly home: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** The lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  request(path: string, options?: HttpRequestOptions): Promise<HttpResponse>;
  /** Creates a token in the store. Returns its text. */
  token(subject: string, ...scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
}

export interface HttpRequestOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly token?: string;
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, parsed as JSON. */
  readonly json: never;
  readonly problem: ProblemDetails;
}

/** The environment of the server. It overrides the settings. */
const TEST_ENV: NodeJS.ProcessEnv = { LOCI_EMBEDDING_PROVIDER: 'none' };

/** Starts a server on a free port with these additional settings. It is closed at the end of the test. */
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
    env: TEST_ENV,
    entries: OPERATIONS,
    inlineStore: true,
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
    request: (path, requestOptions) => sendRequest(running.address, path, requestOptions),
    token: (subject, ...scopes) => makeToken(home, subject, scopes),
    close,
  };
}

export async function makeToken(home: string, subject: string, scopes: readonly Scope[]): Promise<string> {
  const loci = await openInline((await loadConfig({ home, env: TEST_ENV })).values);
  try {
    return (await createToken(loci, { subject, name: `${subject}'s`, scopes: [...scopes], expires: '1m' }))
      .token;
  } finally {
    await loci.close();
  }
}

/** Sends one request over a new connection. */
export function sendRequest(
  address: string,
  path: string,
  options: HttpRequestOptions = {},
): Promise<HttpResponse> {
  const { token, body, headers = {} } = options;
  const requestText = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const target = address.startsWith('unix:')
    ? { socketPath: address.slice('unix:'.length), host: 'localhost' }
    : { host: new URL(address).hostname.replaceAll(/[[\]]/g, ''), port: new URL(address).port };
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...target,
      path,
      method: options.method ?? (requestText === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(requestText !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    outgoing.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const responseText = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: responseText,
            get json() {
              return JSON.parse(responseText) as never;
            },
            get problem() {
              return JSON.parse(responseText) as ProblemDetails;
            },
          });
        });
    });
    outgoing.end(requestText);
  });
}
