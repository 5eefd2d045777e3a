import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonMap } from '../../core/json.ts';
import { readAtMost } from '../../core/read-at-most.ts';

/** More of a refusal is not read; its status says enough. */
const MAX_REFUSAL_BYTES = 64_000;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export class AnswerTooLongError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`more than ${String(maxBytes)} bytes`);
    this.name = 'AnswerTooLongError';
    this.maxBytes = maxBytes;
  }
}

/** Reads no more than what is allowed, also of a refusal, of which the beginning is enough. @throws AnswerTooLongError; Error of the connection */
export async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<HttpAnswer> {
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
export function errorMessageOf(body: unknown): string {
  if (!isJsonMap(body)) return '';
  const { error, detail, message } = body;
  const found = isJsonMap(error) ? error['message'] : (error ?? detail ?? message);
  const text = typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `retry-after-ms` of OpenAI, and `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). In milliseconds. */
export function headerDelay(headers: IncomingHttpHeaders): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const seconds = Number(text);
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(delay) ? Math.max(0, delay) : null;
}
