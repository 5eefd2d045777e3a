import { STATUS_CODES } from 'node:http';
import { ERROR_TABLE, type ErrorCode, LociError } from '../../core/errors.ts';
import { escapeControlJson } from '../shared/escape-control.ts';

/** Problem details of RFC 9457, with the error table's code and hint. */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly hint: string;
  readonly request_id: string;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** An error as problem details. The message of an error that is not a `LociError` is not shown. */
export function problemOf(error: unknown, requestId: string): ProblemDetails {
  const lociError =
    error instanceof LociError
      ? error
      : new LociError('internal', `internal error; see the log of the server for ${requestId}`);
  const { code, message, hint, status } = lociError;
  return {
    type: `urn:loci:error:${code}`,
    title: titleOf(code),
    status,
    detail: message.toWellFormed(),
    code,
    hint: withRequests(hint),
    request_id: requestId,
  };
}

/** `rate_limited` → `Rate limited`. */
function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A complete HTTP response for a request that cannot be parsed, to be written to the socket. */
export function rawProblem(code: ErrorCode, detail: string, requestId: string): string {
  const body = JSON.stringify(problemOf(new LociError(code, detail), requestId));
  const { status } = ERROR_TABLE[code];
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sent with every answer, because it is data for one caller and not a page. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The path prefix of the operations. */
export const API = '/api/v1';

/** The path of an operation, by the name of its tool: `memory_search` is at `/api/v1/memory/search`. */
export function pathOfTool(tool: string): string {
  return `${API}/${tool.replace('_', '/')}`;
}

/**
 * Replaces names of tools in backticks by requests: `memory_undelete 12` → `POST /api/v1/memory/undelete {"id":12}`. Commands stay:
 * they are for the owner.
 */
export function withRequests(text: string): string {
  return text.replaceAll(/`((?:memory|startup)_[a-z]+)(?: (\d+))?`/g, (_, tool: string, id?: string) => {
    const body = id === undefined ? '' : ` {"id":${id}}`;
    return `\`POST ${pathOfTool(tool)}${body}\``;
  });
}

/** The output of an operation as JSON. Invisible characters are escaped: a model may read the bytes. */
export function outputJson(operation: string, output: unknown): string {
  const isNoted = operation === 'fact-categories';
  const json = JSON.stringify(output, (field, value: unknown) =>
    // Fields of this name in other outputs may be anybody's texts.
    isNoted && field === 'note' && typeof value === 'string' ? withRequests(value) : value,
  );
  return escapeControlJson(json);
}
