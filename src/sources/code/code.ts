import { addAbortListener, once } from 'node:events';
import { LociError, messageOf } from '../../core/errors.ts';
import { textExceedsDepth } from '../../core/json.ts';
import type { DocumentSource, FetchResult } from '../document.ts';
import {
  assertDocumentLimit,
  documentCollector,
  MAX_NESTING,
  MAX_OUTPUT_BYTES,
  type OutputValue,
} from '../documents/collect-documents.ts';

export interface CodeOptions {
  /** Returns all documents of the source. The signal fires when nobody waits for them any more. */
  readonly fetchDocuments: (signal: AbortSignal) => unknown;
  /** Milliseconds. */
  readonly timeout: number;
  /** The parts of a document that may be stored; all of them unless given. */
  readonly fields?: readonly string[];
}

/** The longest delay that a timer supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Opens a source whose documents a function of the program returns. The limits for the documents of commands apply. */
export function openCode(options: CodeOptions): DocumentSource {
  return new CodeSource(options);
}

class CodeSource implements DocumentSource {
  readonly #options: CodeOptions;
  /** Whether a call has not settled. A function cannot be ended like a process. */
  #isRunning = false;

  constructor(options: CodeOptions) {
    this.#options = options;
  }

  async fetch({ signal }: { readonly signal?: AbortSignal }): Promise<FetchResult> {
    if (signal?.aborted === true) throw aborted();
    if (this.#isRunning)
      throw new LociError('source_failed', 'the last call of fetch() has not ended', {
        hint: 'Let fetch() end when its signal fires.',
      });
    const startedAt = performance.now();
    const returned = await this.#call(signal);
    if (!Array.isArray(returned))
      throw new LociError(
        'source_failed',
        `fetch() returned ${nameOfType(returned)}, not a list of documents`,
      );
    assertDocumentLimit(returned.length, 'fetch() returned');
    const { fields } = this.#options;
    const collect = documentCollector({ canMap: false, ...(fields !== undefined && { fields }) });
    const size = { bytes: 0 };
    const result = await collect(jsonValues(returned, size));
    const milliseconds = Math.round(performance.now() - startedAt);
    return { ...result, bytes: size.bytes, stderr: '', milliseconds };
  }

  /** @throws LociError `source_failed` when it throws or takes too long; `aborted` */
  async #call(signal: AbortSignal | undefined): Promise<unknown> {
    const { fetchDocuments, timeout } = this.#options;
    const stop = new AbortController();
    const timedOut = new LociError('source_failed', `fetch() did not end within ${String(timeout / 1000)} s`);
    using _timer = setTimeout(() => stop.abort(timedOut), Math.min(timeout, MAX_TIMEOUT_MS));
    using _abort = signal && addAbortListener(signal, () => stop.abort(aborted()));
    this.#isRunning = true;
    const call = (async () => fetchDocuments(stop.signal))().finally(() => (this.#isRunning = false));
    try {
      const returned = await Promise.race([call, once(stop.signal, 'abort')]);
      stop.signal.throwIfAborted();
      return returned;
    } catch (error) {
      stop.signal.throwIfAborted();
      throw new LociError('source_failed', `fetch() failed: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Each document as JSON expresses it, so that later changes of the objects, and getters and methods, have no effect. */
async function* jsonValues(
  documents: readonly unknown[],
  size: { bytes: number },
): AsyncGenerator<OutputValue> {
  for (const [i, document] of documents.entries()) {
    const index = i + 1;
    const json = jsonOf(document);
    if (json === null) {
      yield { index, problem: 'it cannot be written as JSON' };
      continue;
    }
    size.bytes += Buffer.byteLength(json);
    if (size.bytes > MAX_OUTPUT_BYTES)
      throw new LociError(
        'source_failed',
        `fetch() returned more than ${String(MAX_OUTPUT_BYTES / 1e6)} MB`,
        {
          hint: 'Leave some documents out, or shorten their texts.',
        },
      );
    if (textExceedsDepth(MAX_NESTING, json))
      yield { index, problem: `it is nested deeper than ${String(MAX_NESTING)} levels` };
    else yield { index, value: JSON.parse(json) as unknown };
  }
}

/** `null` for a value that JSON cannot express: a function, a cycle, a getter that throws. */
function jsonOf(value: unknown): string | null {
  try {
    const json: unknown = JSON.stringify(value);
    return typeof json === 'string' ? json : null;
  } catch {
    return null;
  }
}

function nameOfType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'string' ? 'text' : `a value of type ${typeof value}`;
}

function aborted(): LociError {
  return new LociError('aborted', 'fetching was stopped');
}
