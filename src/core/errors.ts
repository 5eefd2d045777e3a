/** The one table of errors: what it is called, what HTTP and the shell are told, and what to do next. */

export type ErrorCode =
  | 'invalid_input'
  | 'invalid_config'
  | 'secret_refused'
  | 'unauthorized'
  | 'forbidden'
  | 'writes_disabled'
  | 'rate_limited'
  | 'too_large'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'not_found'
  | 'gone'
  | 'ambiguous'
  | 'conflict'
  | 'store_not_found'
  | 'store_newer'
  | 'store_corrupt'
  | 'store_busy'
  | 'store_full'
  | 'store_failed'
  | 'embedding_mismatch'
  | 'embedding_unavailable'
  | 'unreadable'
  | 'not_approved'
  | 'source_failed'
  | 'aborted'
  | 'timed_out'
  | 'unsupported_runtime'
  | 'internal';

interface ErrorEntry {
  readonly status: number;
  readonly exit: number;
  readonly hint: string;
}

export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  invalid_input: { status: 400, exit: 2, hint: 'Correct the named value and try again.' },
  invalid_config: {
    status: 500,
    exit: 3,
    hint: 'Correct loci.yaml; docs/configuration.md lists every key.',
  },
  secret_refused: {
    status: 422,
    exit: 2,
    hint: 'Leave the secret out, or say `writes.secrets: mask` in loci.yaml.',
  },
  unauthorized: {
    status: 401,
    exit: 10,
    hint: 'Send `Authorization: Bearer TOKEN`; `loci token create` makes a token.',
  },
  forbidden: { status: 403, exit: 10, hint: 'Ask whoever runs Loci for a token with this scope.' },
  writes_disabled: {
    status: 403,
    exit: 10,
    hint: 'Whoever runs Loci can allow it: `loci config set writes.enabled true`; then restart what serves agents.',
  },
  rate_limited: { status: 429, exit: 10, hint: 'Wait as long as Retry-After says, then try again.' },
  too_large: { status: 413, exit: 2, hint: 'Send less at once.' },
  method_not_allowed: { status: 405, exit: 2, hint: 'Ask with a method that `Allow` names.' },
  unsupported_media_type: { status: 415, exit: 2, hint: 'Send JSON, with `Content-Type: application/json`.' },
  not_found: { status: 404, exit: 4, hint: 'Search again for a current citation.' },
  gone: {
    status: 410,
    exit: 4,
    hint: 'It cannot be brought back; write it again.',
  },
  ambiguous: { status: 409, exit: 4, hint: 'Name it more exactly: SOURCE:PATH.' },
  conflict: { status: 409, exit: 5, hint: 'Read the current state, then try again.' },
  store_not_found: { status: 503, exit: 6, hint: 'Run `loci init`, or `loci index PATH`.' },
  store_newer: {
    status: 503,
    exit: 6,
    hint: 'Update Loci: this store was written by a newer version. Nothing was changed.',
  },
  store_corrupt: { status: 503, exit: 6, hint: 'Run `loci doctor`; backups stand beside the store.' },
  store_busy: { status: 503, exit: 6, hint: 'Another process holds the store; try again.' },
  store_full: { status: 507, exit: 6, hint: 'Free some disk space; what was answered before is safe.' },
  store_failed: { status: 500, exit: 6, hint: 'Run `loci doctor`.' },
  embedding_mismatch: {
    status: 503,
    exit: 7,
    hint: 'Run `loci reindex --vectors`, or set the former provider again.',
  },
  embedding_unavailable: {
    status: 503,
    exit: 7,
    hint: 'Text search goes on; check the embedding provider with `loci doctor`.',
  },
  unreadable: { status: 422, exit: 8, hint: 'Check that the path exists and that you may read it.' },
  not_approved: {
    status: 403,
    exit: 10,
    hint: '`loci sources list` shows what would run; `loci sources approve ID` allows it.',
  },
  source_failed: {
    status: 502,
    exit: 8,
    hint: '`loci sources test ID` runs it once and shows what it prints.',
  },
  aborted: {
    status: 499,
    exit: 130,
    hint: 'It was stopped; what was committed stays, and the same command goes on.',
  },
  timed_out: { status: 504, exit: 6, hint: 'Try again; a write may have been done all the same.' },
  unsupported_runtime: { status: 500, exit: 9, hint: 'Run Loci with Node 24 or newer.' },
  internal: { status: 500, exit: 1, hint: 'This is a bug in Loci; run `loci doctor` and report it.' },
};

/** Every failure that a caller can act on. `message` names the thing that was wrong. */
export class LociError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LociError';
    this.code = code;
    this.hint = options.hint ?? ERROR_TABLE[code].hint;
  }

  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  get exitCode(): number {
    return ERROR_TABLE[this.code].exit;
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code);
}

/** What is left to say of a thrown value of any kind. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
