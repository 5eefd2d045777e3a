import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { noteAnswer } from './connection.ts';
import type { paths } from './schema.d.ts';
import { sessionLost, session } from './session.ts';

type Post<P extends keyof paths> = NonNullable<paths[P]['post']>;
type Answered<T> = T extends { responses: { 200: { content: { 'application/json': infer Output } } } }
  ? Output
  : never;
type Asked<T> = T extends { requestBody?: { content: { 'application/json': infer Input } } } ? Input : never;

/** The paths of operations. */
export type ApiPath = {
  [P in keyof paths]: paths[P]['post'] extends undefined ? never : P;
}[keyof paths];
/** The input of an operation, by its path. */
export type Input<P extends ApiPath> = Asked<Post<P>>;
/** The output of an operation, by its path. */
export type Output<P extends ApiPath> = Answered<Post<P>>;

/** What the server answers to a request that it refuses (RFC 9457). */
export class ApiError extends Error {
  readonly code: string;
  /** What to do next. */
  readonly hint: string;
  readonly status: number;

  constructor({ code, detail, hint }: { code: string; detail: string; hint: string }, status: number) {
    super(detail);
    this.code = code;
    this.hint = hint;
    this.status = status;
  }
}

/** The error of a request that no server answered. */
export function noAnswer(): ApiError {
  return new ApiError({ code: 'offline', detail: t(SHELL.offline), hint: '' }, 0);
}

/**
 * Calls an operation. Abort errors pass through as they are.
 * @throws ApiError
 */
export async function call<P extends ApiPath>(
  path: P,
  input: Input<P>,
  { signal = null }: { readonly signal?: AbortSignal | null | undefined } = {},
): Promise<Output<P>> {
  const answer = await send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
    signal,
  });
  return (await answer.json()) as Output<P>;
}

/** Sends a request with the session of this page. @throws ApiError */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(session.headers())) headers.set(name, value);
  const answer = await fetch(path, { ...init, headers, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      noteAnswer(false);
      throw noAnswer();
    },
  );
  noteAnswer(true);
  if (answer.ok) return answer;
  if (answer.status === 401) sessionLost();
  const problem: unknown = await answer.json().catch(() => null);
  throw new ApiError(
    isProblem(problem) ? problem : { code: 'internal', detail: answer.statusText, hint: '' },
    answer.status,
  );
}

function isProblem(value: unknown): value is { code: string; detail: string; hint: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}
