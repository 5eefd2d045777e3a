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

/** The tools that commands in hints run, with the bodies of their requests. Other commands exist only on the machine of Loci. */
const REQUEST_BY_COMMAND: Readonly<
  Record<string, (operand: string) => readonly [tool: string, body?: object]>
> = {
  doctor: () => ['doctor'],
  'embed backfill': () => ['embed_backfill'],
  'embed test': () => ['embed_test'],
  'doctor reindex': (option) => (option === '--vectors' ? ['reindex', { vectors: true }] : ['reindex']),
  'sources refresh': (id) => ['sources_refresh', { ids: [id] }],
  'sources resume': (id) => ['sources_resume', { id }],
};

/**
 * Replaces names of tools and commands in backticks by requests: `memory_undelete 12` → `POST /api/v1/memory/undelete
 * {"id":12}`, and `loci doctor` → `POST /api/v1/doctor`.
 */
export function withRequests(text: string): string {
  return text
    .replaceAll(/`((?:memory|startup)_[a-z]+)(?: (\d+))?`/g, (_, tool: string, id?: string) =>
      requestText(tool, id === undefined ? undefined : { id: Number(id) }),
    )
    .replaceAll(
      /`loci ((?:doctor |embed |sources )?[a-z]+)(?: ([^`]+))?`/g,
      (whole, command: string, operand = '') => {
        if (!Object.hasOwn(REQUEST_BY_COMMAND, command)) return whole;
        // Names with spaces are in quotes, as a shell needs them.
        const request = REQUEST_BY_COMMAND[command]?.(String(operand).replaceAll(/^"|"$/g, ''));
        return request === undefined ? whole : requestText(...request);
      },
    );
}

function requestText(tool: string, body?: object): string {
  return `\`POST ${pathOfTool(tool)}${body === undefined ? '' : ` ${JSON.stringify(body)}`}\``;
}

/** Operations whose outputs have hints. Fields of these names in other outputs may be anybody's texts. */
const OPERATIONS_WITH_HINTS: ReadonlySet<string> = new Set(['doctor', 'fact-categories', 'sources-refresh']);

/** The output of an operation as JSON, with requests in its hints. Invisible characters are escaped: a model may read the bytes. */
export function outputJson(operation: string, output: unknown): string {
  const hasHints = OPERATIONS_WITH_HINTS.has(operation);
  const json = JSON.stringify(output, (field, value: unknown) =>
    hasHints && (field === 'hint' || field === 'note') && typeof value === 'string'
      ? withRequests(value)
      : value,
  );
  return escapeControlJson(json);
}
