/**
 * Requests with JSON to one origin, and what their failures mean. `node:http` sends them and not `undici`, which does not say whether
 * the connection that broke was one that had been kept open, and has one limit of the size of answers for all of them.
 */

import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { LociError } from '../../core/errors.ts';
import { isJsonMap, parseJson } from '../../core/json.ts';
import { readAtMost } from '../../core/read-at-most.ts';
import { abridge } from '../../core/text/abridge.ts';
import { assertAllowedHost, lookupAllowed } from './addresses.ts';
import { type Key, type KeyOptions, type KeySection, maskKeys, readKey } from './key.ts';
import { ProviderError, type WireOptions } from './provider-error.ts';

const MAX_QUOTED_LENGTH = 200;
/** More of a refusal is not read; its status says enough. */
const MAX_REFUSAL_BYTES = 64_000;
/** What providers answer for a text that they do not embed; Text Embeddings Inference answers 424 if the model fails. */
const REFUSALS_OF_TEXTS: ReadonlySet<number> = new Set([400, 422, 424]);
/** An overloaded provider; its texts are not the reason. */
const OVERLOADED: ReadonlySet<number> = new Set([408, 429, 503, 529]);

/** The address may be wrong: it is shown whole. */
const NO_SUCH_PATH: ReadonlySet<number> = new Set([404, 405]);

/** The command that tries a provider. */
const TRY: Readonly<Record<KeySection, string>> = {
  embedding: 'loci embed test',
  rerank: 'loci doctor',
};

/** What a client needs of the settings. */
export interface HttpSettings {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly allowLinkLocal: boolean;
  readonly concurrency: number;
}

export interface HttpOptions extends KeyOptions {
  /** How the key is sent, unless it is a bearer token. */
  readonly headers?: (key: string) => Readonly<Record<string, string>>;
  /** Matches the message of a refusal that says that a text is too long, or that there are too many. */
  readonly isTooLarge?: RegExp;
  /** How long the body of a refusal asks to wait, in milliseconds. */
  readonly retryAfter?: (body: unknown) => number | null;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

class AnswerTooLongError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${String(maxBytes)} bytes`);
    this.name = 'AnswerTooLongError';
    this.maxBytes = maxBytes;
  }
}

/** A client of one origin. It follows no redirects, and connects to no link-local address. */
export class HttpClient {
  readonly #url: URL;
  readonly #key: Key;
  readonly #options: HttpOptions;
  readonly #section: KeySection;
  readonly #module: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #allowsLinkLocal: boolean;

  /** @throws LociError `invalid_config` */
  constructor(settings: HttpSettings, options: HttpOptions) {
    this.#options = options;
    this.#section = options.section ?? 'embedding';
    this.#url = parseUrl(settings.url ?? options.url, this.#section);
    this.#allowsLinkLocal = settings.allowLinkLocal;
    if (!this.#allowsLinkLocal) assertAllowedHost(this.#url);
    this.#key = readKey(settings.apiKey, options, this.#url);
    this.#module = this.#url.protocol === 'https:' ? https : http;
    // Queries have connections in addition to those of passages.
    this.#agent = new this.#module.Agent({ keepAlive: true, maxSockets: settings.concurrency + 4 });
  }

  /** Where requests go. */
  get origin(): string {
    return this.#url.origin;
  }

  /**
   * Sends JSON and returns the JSON of the answer.
   * @param path below the configured URL
   * @throws ProviderError; LociError `aborted`
   */
  async post(path: string, body: object, options: WireOptions): Promise<unknown> {
    const answer = await this.#exchange(path, JSON.stringify(body), options);
    if (answer.status < 200 || answer.status > 299) throw this.#failureOf(answer, path);
    const value = parseJson(answer.text);
    if (value === undefined) throw new ProviderError('refused', `${this.#url.origin} answers with no JSON`);
    return value;
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }

  /** A connection that was kept open may have been closed by the provider: then another one is made. */
  async #exchange(path: string, body: string, options: WireOptions): Promise<HttpAnswer> {
    const deadline = performance.now() + options.timeoutMs;
    const first = await this.#request(path, body, options);
    if (first !== 'stale connection') return first;
    const timeoutMs = Math.max(1, deadline - performance.now());
    const second = await this.#request(path, body, { ...options, timeoutMs });
    if (second !== 'stale connection') return second;
    throw new ProviderError('unreachable', `${this.#url.origin} closes its connections`);
  }

  async #request(
    path: string,
    body: string,
    { timeoutMs, maxAnswerBytes, signal }: WireOptions,
  ): Promise<HttpAnswer | 'stale connection'> {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
    const stop = AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]);
    const request = this.#module.request(new URL(path, this.#url), {
      method: 'POST',
      agent: this.#agent,
      signal: stop,
      ...(!this.#allowsLinkLocal && { lookup: lookupAllowed }),
      headers: {
        ...(this.#options.headers ?? bearer)(this.#key.value),
        accept: 'application/json',
        'content-type': 'application/json',
      },
    });
    // An error after the first one is not awaited.
    request.on('error', () => undefined).end(body);
    let response: IncomingMessage | undefined;
    try {
      [response] = (await once(request, 'response')) as [IncomingMessage];
      return await readAnswer(response, maxAnswerBytes);
    } catch (error) {
      request.destroy();
      if (timeout.aborted && stop.reason === timeout.reason)
        throw new ProviderError('late', `${this.#url.origin} did not answer within ${formatMs(timeoutMs)}`);
      if (stop.aborted) throw new LociError('aborted', 'The request was stopped.', { cause: signal?.reason });
      if (response !== undefined) throw this.#readingFailure(error);
      const { code = '' } = error as NodeJS.ErrnoException;
      if (request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(code)) return 'stale connection';
      throw this.#connectionFailure(error as NodeJS.ErrnoException);
    }
  }

  #connectionFailure(error: NodeJS.ErrnoException): Error {
    if (error instanceof LociError)
      return new ProviderError('refused', error.message, { hint: error.hint, cause: error });
    const { origin } = this.#url;
    // The error itself may have a part of the answer.
    const why = error.code ?? error.name;
    return new ProviderError('unreachable', `${origin} cannot be reached: ${why}`);
  }

  #readingFailure(error: unknown): Error {
    const { origin } = this.#url;
    if (!(error instanceof AnswerTooLongError))
      return new ProviderError('unreachable', `the connection to ${origin} broke during the answer`);
    const size = `${String(Math.ceil(error.maxBytes / 1000))} kB`;
    return new ProviderError(
      'refused',
      `the answer of ${origin} has more than ${size}, which nothing asked for`,
      {
        hint: `Check \`${this.#section}\` in loci.yaml, and try it with \`${TRY[this.#section]}\`.`,
      },
    );
  }

  #failureOf({ status, headers, text }: HttpAnswer, path: string): ProviderError {
    const { origin } = this.#url;
    const body = parseJson(text);
    const message = this.#withoutKey(errorMessageOf(body));
    const said = abridge(message, MAX_QUOTED_LENGTH);
    if (status === 401) return this.#refusedKey();
    if (status >= 300 && status < 400)
      return new ProviderError(
        'refused',
        `${origin} redirects to another address (HTTP ${String(status)}); redirects are not followed`,
        {
          said: URL.parse(headers.location ?? '', this.#url.href)?.origin ?? 'another address',
          hint: `Write the address of the provider itself into \`${this.#section}.url\`.`,
        },
      );
    // llama.cpp answers 500 for a text that is too long.
    if (
      status === 413 ||
      ([400, 422, 500].includes(status) && this.#options.isTooLarge?.test(message) === true)
    )
      return new ProviderError('too_large', `${origin} refuses the size of the request`, { said });
    const asked = NO_SUCH_PATH.has(status) ? new URL(path, this.#url).href : origin;
    const what = `${asked} answers HTTP ${String(status)}`;
    // An exhausted quota is not a matter of seconds.
    if (status === 429 && /insufficient_quota|billing/i.test(text))
      return new ProviderError('refused', `${what}: the quota is used up`, { said });
    if (OVERLOADED.has(status) || status >= 500) {
      const retryAfterMs = headerDelay(headers) ?? this.#options.retryAfter?.(body) ?? null;
      return new ProviderError('busy', what, { said, retryAfterMs, mayBeOneText: !OVERLOADED.has(status) });
    }
    const why = status === 404 ? ': it does not know the model or the path' : '';
    return new ProviderError('refused', what + why, {
      said,
      mayBeOneText: REFUSALS_OF_TEXTS.has(status),
      hint: `Check \`${this.#section}.model\` and \`${this.#section}.url\`, and try them with \`${TRY[this.#section]}\`.`,
    });
  }

  #refusedKey(): ProviderError {
    const { origin } = this.#url;
    const section = this.#section;
    if (this.#key.value === '')
      return new ProviderError('refused', `${origin} asks for an API key, and none is set (HTTP 401)`, {
        hint: `Name the variable that has it, \`loci config set ${section}.apiKey env:NAME\`, and try it with \`${TRY[section]}\`.`,
      });
    return new ProviderError('refused', `${origin} does not accept the API key (HTTP 401)`, {
      hint: `Correct the key in ${this.#key.place}, and try it with \`${TRY[section]}\`.`,
    });
  }

  #withoutKey(message: string): string {
    return maskKeys(message, [this.#key.value]);
  }
}

/** @throws LociError `invalid_config` */
function parseUrl(text: string | undefined, section: KeySection): URL {
  if (text === undefined)
    throw new LociError(
      'invalid_config',
      `${section}.url is missing: the provider has no address of its own`,
      {
        hint: `Set the address up to the path before \`/${section === 'embedding' ? 'embeddings' : 'rerank'}\`: \`loci config set ${section}.url http://localhost:8080/v1\`.`,
      },
    );
  const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new LociError(
      'invalid_config',
      `${section}.url is not an address that begins with http:// or https://`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new LociError('invalid_config', `${section}.url must have no user, password or query`, {
      hint: `Name the place of the key in \`${section}.apiKey\`.`,
    });
  return url;
}

function formatMs(milliseconds: number): string {
  return milliseconds < 1000
    ? `${String(Math.round(milliseconds))} ms`
    : `${String(Math.round(milliseconds / 100) / 10)} s`;
}

function bearer(key: string): Readonly<Record<string, string>> {
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}

/** Reads no more than what is allowed, also of a refusal, of which the beginning is enough. @throws AnswerTooLongError; Error of the connection */
async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = response;
  const isRefusal = status < 200 || status > 299;
  const max = isRefusal ? MAX_REFUSAL_BYTES : maxBytes;
  const announced = Number(headers['content-length'] ?? 0);
  if (!isRefusal && announced > max) throw new AnswerTooLongError(max);
  const { bytes, isWhole } = await readAtMost(response, max);
  if (!isWhole && !isRefusal) throw new AnswerTooLongError(max);
  return { status, headers, text: bytes.toString() };
}

/** The message of an error: `{error: {message}}` of OpenAI and Google, `{error}` of Ollama, `{detail}` of Voyage, `{message}`. */
function errorMessageOf(body: unknown): string {
  if (!isJsonMap(body)) return '';
  const { error, detail, message } = body;
  const found = isJsonMap(error) ? error['message'] : (error ?? detail ?? message);
  const text = typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `retry-after-ms` of OpenAI, and `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). In milliseconds. */
function headerDelay(headers: IncomingHttpHeaders): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const seconds = Number(text);
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(delay) ? Math.max(0, delay) : null;
}
