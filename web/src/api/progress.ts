import { ApiError, type ApiPath, type Input, type Output, send } from './client.ts';
import { serverSentEvents } from './events.ts';

/** How far a long operation is. */
export interface Progress {
  readonly stage:
    | 'reading'
    | 'deriving'
    | 'relating'
    | 'embedding'
    | 'indexing'
    | 'waiting'
    | 'checking'
    | 'copying'
    | 'deleting';
  readonly subject: string;
  readonly done: number;
  /** 0 if it is not known. */
  readonly total: number;
}

interface ProgressCall {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Calls an operation that may take long, and reports its progress where the server sends it. To abort the signal stops the operation.
 * @throws ApiError
 */
export async function callWithProgress<P extends ApiPath>(
  path: P,
  input: Input<P>,
  { signal, onProgress }: ProgressCall,
): Promise<Output<P>> {
  const answer = await send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(input),
    signal,
  });
  if (answer.headers.get('Content-Type')?.startsWith('text/event-stream') !== true)
    return (await answer.json()) as Output<P>;
  for await (const { type, data } of serverSentEvents(answer.body!)) {
    if (type === 'progress') onProgress(JSON.parse(data) as Progress);
    if (type === 'result') return JSON.parse(data) as Output<P>;
    if (type === 'problem') {
      const problem = JSON.parse(data) as { code: string; detail: string; hint: string; status?: number };
      throw new ApiError(problem, problem.status ?? 500);
    }
  }
  throw new ApiError({ code: 'internal', detail: 'the answer ended early', hint: '' }, 0);
}
