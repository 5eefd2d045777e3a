import type { IncomingMessage } from 'node:http';
import { type FieldSchema, inputFields } from '../../operations/shared/input.ts';
import { type LoadedOperation, remoteOperation, toolName } from '../../operations/operation.ts';
import type { OperationEntry } from '../../operations/registry.ts';
import { pathOfTool } from './problem.ts';
import { LociError } from '../../core/errors.ts';
import { isJsonMap, textExceedsDepth } from '../../core/json.ts';
import { readAtMost } from '../../core/read-at-most.ts';
import type { Json } from '../../core/types.ts';

/** An operation and its path. */
export interface Route {
  readonly path: string;
  readonly operation: LoadedOperation;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Whether only the page of the owner may call it. */
  readonly onPage: boolean;
}

/** Routes for all operations that are not local, or that the page has. `memory_search` is at `/api/v1/memory/search`. */
export async function routesOf(entries: readonly OperationEntry[]): Promise<Route[]> {
  const operations = await Promise.all(entries.map(({ load }) => load()));
  return operations
    .flatMap((operation) => remoteOperation(operation) ?? (operation.onPage === true ? operation : []))
    .map((operation) => ({
      onPage: operation.local === true,
      path: pathOfTool(toolName(operation)),
      operation,
      fields: new Map(inputFields(operation).map(({ name, schema }) => [name, schema])),
    }));
}

type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
type Fields = Record<string, unknown>;

/** The deepest nesting of JSON. Every valid input has less, and recursive functions can process this much. */
const MAX_DEPTH = 64;
const IDEMPOTENCY_FIELD = 'idempotency_key';
/** The parameter of a content type (RFC 9110, section 8.3). */
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * The unchecked input of an operation: the JSON object of a POST or the query of a GET, and the header `Idempotency-Key`.
 * @param body of a POST; see `readBody`
 * @throws LociError `unsupported_media_type`, `invalid_input`
 */
export function requestInput(request: RequestHead, route: Route, body: string): unknown {
  const input = request.method === 'POST' ? jsonBody(request, body) : queryOf(request, route);
  const key = request.headers['idempotency-key'];
  if (key === undefined || !route.fields.has(IDEMPOTENCY_FIELD)) return input;
  if (!isJsonMap(input)) return input;
  const field = input[IDEMPOTENCY_FIELD];
  if (field !== undefined && field !== key)
    throw new LociError('invalid_input', '`Idempotency-Key` and the field idempotency_key differ');
  return { ...input, [IDEMPOTENCY_FIELD]: key };
}

/**
 * Reads the body as text.
 * @throws LociError `unsupported_media_type` for a compressed body or one that is not declared as UTF-8; `too_large`, `invalid_input` if it is not UTF-8, `aborted` if the connection ends
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = (): LociError =>
    new LociError('too_large', `the body is larger than ${String(maxBytes)} bytes`, {
      hint: 'Send less at once.',
    });
  assertPlainText(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const { bytes, isWhole } = await readAtMost(request.iterator({ destroyOnReturn: false }), maxBytes).catch(
    (error: unknown) => {
      throw new LociError('aborted', 'the connection ended before the end of the request body', {
        cause: error,
      });
    },
  );
  if (!isWhole) throw tooLarge();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LociError('invalid_input', 'the body is not valid UTF-8');
  }
}

/** @throws LociError `unsupported_media_type` */
function assertPlainText({ headers }: Pick<RequestHead, 'headers'>): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new LociError('unsupported_media_type', 'the body must not be compressed', {
      hint: 'Leave out `Content-Encoding`.',
    });
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw new LociError('unsupported_media_type', 'the body must be UTF-8, as JSON always is', {
      hint: 'Send `Content-Type: application/json`.',
    });
}

/**
 * Parses a body as JSON; an empty body is an input without fields.
 * @throws LociError `unsupported_media_type`, `invalid_input`
 */
export function jsonBody({ headers }: Pick<RequestHead, 'headers'>, body: string): unknown {
  if (body.trim() === '') return {};
  // Other types are refused, because browsers send them across sites without a CORS preflight.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new LociError('unsupported_media_type', 'the body must be JSON: `Content-Type: application/json`');
  // Deeply nested JSON overflows the stack of recursive functions.
  if (textExceedsDepth(MAX_DEPTH, body))
    throw new LociError('invalid_input', `the body is nested more than ${String(MAX_DEPTH)} levels deep`);
  try {
    return JSON.parse(body);
  } catch (error) {
    const [, position] = / at position (\d+)/.exec(String(error)) ?? [];
    throw new LociError(
      'invalid_input',
      `the body is not valid JSON${position === undefined ? '' : `, at character ${position}`}`,
    );
  }
}

function queryOf({ url = '' }: RequestHead, { fields }: Route): Fields {
  const start = url.indexOf('?');
  const query = new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
  const parsed: [string, unknown][] = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    const schema = fields.get(name);
    return [name, schema === undefined ? (values[0] ?? '') : fieldValue(values, schema)];
  });
  return Object.fromEntries(parsed);
}

/** Text that cannot be converted to the type of its field stays text, so that the schema rejects it and names the field. */
function fieldValue(values: readonly string[], schema: FieldSchema): Json {
  if (schema.type === 'array') return values.map((value) => scalar(value, schema.items ?? {}));
  const [first = '', ...others] = values;
  return others.length === 0 ? scalar(first, schema) : [...values];
}

function scalar(text: string, { type }: FieldSchema): Json {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    default:
      return text;
  }
}
