/** Why a request failed. Only the first three may succeed if they are repeated. */
type FailureKind =
  /** No connection, or one that broke. */
  | 'unreachable'
  /** No answer in time. */
  | 'late'
  /** Too many requests, or a fault of the provider. */
  | 'busy'
  /** The texts are too long, or too many. Fewer or shorter ones may succeed. */
  | 'too_large'
  | 'refused';

/** A request that failed. The message has no key, and no text that was sent. */
export class ProviderError extends Error {
  readonly kind: FailureKind;
  /** How long the provider asks to wait, in milliseconds; `null` if it does not say. */
  readonly retryAfterMs: number | null;
  readonly hint: string | undefined;
  /** Whether a single text may be the reason, so that the others would be embedded without it. */
  readonly mayBeOneText: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    options: { retryAfterMs?: number | null; hint?: string; mayBeOneText?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.hint = options.hint;
    this.mayBeOneText = options.mayBeOneText ?? kind === 'too_large';
  }
}

export interface SendOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}
