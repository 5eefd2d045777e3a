import type { ServerResponse } from 'node:http';
import { LociError } from '../../../core/errors.ts';
import type { Progress } from '../../../core/progress.ts';
import { EventStream } from './event-stream.ts';
import type { ProblemDetails } from './problem.ts';

/** Between two events of one stage. */
const INTERVAL_MS = 200;

interface StreamedWork {
  /** Returns the output as JSON. It is aborted when the client disconnects. */
  readonly run: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<string>;
  /** Describes an error of the work. */
  readonly problemOf: (error: unknown) => ProblemDetails;
}

/** Answers with events while work runs: `progress`, as often as it tells something, and at last `result` or `problem`. */
export function streamOperation(response: ServerResponse, { run, problemOf }: StreamedWork): Response {
  const stream = new EventStream(response);
  const gone = new AbortController();
  stream.signal.addEventListener('abort', () => {
    gone.abort(new LociError('aborted', 'the client has disconnected'));
  });
  const work = run(gone.signal, progressEvents(stream)).then(
    (json) => stream.send('result', json),
    (error: unknown) => stream.send('problem', JSON.stringify(problemOf(error))),
  );
  void work.finally(() => stream.end());
  return stream.response;
}

/** Reports progress as events. A client that reads slowly gets fewer. */
function progressEvents(stream: EventStream): (progress: Progress) => void {
  let current = '';
  let sentAt = Number.NEGATIVE_INFINITY;
  return ({ stage, subject, done, total }) => {
    const now = performance.now();
    const isNew = current !== `${stage} ${subject}`;
    if (stream.isFull || !(isNew || done === total || now - sentAt >= INTERVAL_MS)) return;
    current = `${stage} ${subject}`;
    sentAt = now;
    stream.send('progress', JSON.stringify({ stage, subject, done, total }));
  };
}
