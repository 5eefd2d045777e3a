import { LociError } from '../../core/errors.ts';

/** Why a request failed. The first four may succeed if they are repeated. */
type FailureKind =
  /** No connection, or one that broke. */
  | 'unreachable'
  /** No answer in time. */
  | 'late'
  /** Too many requests, or a fault of the provider. */
  | 'busy'
  /** Nothing was sent, because the provider has asked for no requests for a while, and the call does not wait. */
  | 'paused'
  /** The texts are too long, or too many. Fewer or shorter ones may succeed. */
  | 'too_large'
  | 'refused';

interface ProviderErrorOptions {
  readonly retryAfterMs?: number | null;
  readonly hint?: string;
  readonly mayBeOneText?: boolean;
  readonly cause?: unknown;
  readonly said?: string;
}

/** A request that failed. The message has no key and no words of the provider, because these may quote the texts that were sent. */
export class ProviderError extends Error {
  readonly kind: FailureKind;
  /** How long the provider asks to wait, in milliseconds; `null` if it does not say. */
  readonly retryAfterMs: number | null;
  readonly hint: string | undefined;
  /** Whether a single text may be the reason, so that the others would be embedded without it. */
  readonly mayBeOneText: boolean;
  /** Private, so that no log of the error shows it. */
  readonly #said: string;

  constructor(kind: FailureKind, message: string, options: ProviderErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.hint = options.hint;
    this.mayBeOneText = options.mayBeOneText ?? kind === 'too_large';
    this.#said = options.said ?? '';
  }

  /** What the provider says, without keys; empty if it says nothing. Only for callers whose texts are no secret. */
  get said(): string {
    return this.#said;
  }

  /** The same error, whose message ends with what the provider says. */
  quoting(): ProviderError {
    return this.#said === ''
      ? this
      : new ProviderError(this.kind, `${this.message}: ${this.#said}`, {
          ...{ retryAfterMs: this.retryAfterMs, mayBeOneText: this.mayBeOneText, cause: this.cause },
          ...{ said: this.#said, ...(this.hint !== undefined && { hint: this.hint }) },
        });
  }

  /** The error for those who asked for vectors or scores. */
  toLociError(): LociError {
    const { message, hint, cause } = this;
    return new LociError('embedding_unavailable', message, { ...(hint !== undefined && { hint }), cause });
  }
}

export interface WireOptions {
  readonly timeoutMs: number;
  /** A longer answer is not read: what was asked for does not need it. */
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
}
