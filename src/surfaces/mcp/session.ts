import type { ProgressNotification, ProgressToken, ServerContext } from '@modelcontextprotocol/server';
import type { Caller, Scope } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import type { OpenContext } from '../../operations/context.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import type { Progress } from '../../core/progress.ts';
import { stageText } from '../shared/progress-text.ts';

/** What a caller may do. */
export interface Permission {
  readonly scopes: ReadonlySet<Scope>;
  /** The hint for an operation that is not permitted. By default the hint is to ask for a token with its scope. */
  readonly forbiddenHint?: (operation: Operation) => string;
}

/** The permission of a client, and the caller and the context of its operations. */
export interface McpSession extends Permission {
  /** Called at the first request that needs it, because loading the settings takes a while. */
  readonly context: () => Promise<OpenContext>;
  /** Aborts every call when the server stops. */
  readonly signal?: AbortSignal;
  /** @param client the name that the client gives itself, if any */
  callerOf(client: string | undefined): Pick<Caller, 'surface' | 'trust'> & Partial<Caller>;
}

/**
 * Checks the scope before an operation runs.
 * @param name of the tool, resource or prompt that runs it
 * @throws LociError `forbidden`
 */
export function assertPermitted(
  { scopes, forbiddenHint }: Permission,
  operation: Operation,
  name: string,
): void {
  if (scopes.has(operation.scope)) return;
  const hint = forbiddenHint?.(operation);
  throw new LociError('forbidden', `${name} needs the scope ${operation.scope}`, {
    ...(hint !== undefined && { hint }),
  });
}

/** The context in which an operation runs for one request, with its caller, cancellation and progress. */
export async function requestContext(
  session: McpSession,
  { mcpReq }: ServerContext,
  client: string | undefined,
): Promise<OperationContext> {
  const context = await session.context();
  const token = mcpReq._meta?.progressToken;
  return context.forCall({
    caller: session.callerOf(client),
    signal: session.signal === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, session.signal]),
    ...(token !== undefined && {
      onProgress: progressNotifier(token, (notification) => mcpReq.notify(notification)),
    }),
  });
}

/** Between two notifications of one stage. */
const INTERVAL_MS = 100;

/**
 * Notifies a client of the progress of a call. The numbers that it sends must increase (MCP 2025-11-25, "Progress"). Those of a
 * call restart with each stage, so that the work of the earlier stages is added.
 */
export function progressNotifier(
  progressToken: ProgressToken,
  notify: (notification: ProgressNotification) => Promise<void>,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  let currentStage = '';
  let doneInEarlierStages = 0;
  let last = { done: 0, notified: -1, at: Number.NEGATIVE_INFINITY };
  return (progress) => {
    const stage = `${progress.stage} ${progress.subject}`;
    const isNewStage = stage !== currentStage;
    if (isNewStage) doneInEarlierStages += last.done;
    currentStage = stage;
    const done = doneInEarlierStages + progress.done;
    const isDue = isNewStage || progress.done === progress.total || now() - last.at >= INTERVAL_MS;
    const notifies = isDue && done > last.notified;
    last = {
      done: progress.done,
      notified: notifies ? done : last.notified,
      at: notifies ? now() : last.at,
    };
    if (!notifies) return;
    const params = {
      progressToken,
      progress: done,
      ...(progress.total > 0 && { total: doneInEarlierStages + progress.total }),
      message: messageOf(progress),
    };
    // A client that has disconnected needs no progress.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function messageOf(progress: Progress): string {
  const { stage, done, total } = progress;
  if (stage === 'waiting') return stageText(progress);
  return `${stageText(progress)}: ${total === 0 ? String(done) : `${String(done)} of ${String(total)}`}`;
}
