type Listener = (isUp: boolean) => void;

const listeners = new Set<Listener>();
let isUp = true;
/** How often a server that does not answer is asked again, in milliseconds. */
const RETRY_MS = 1000;

/** Calls `listener` when the server has stopped answering, and when it answers again. Returns what ends this. */
export function onConnection(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Notes whether a request was answered. Without an answer, the server is asked until it answers. */
export function noteAnswer(isAnswered: boolean): void {
  if (isAnswered === isUp) return;
  isUp = isAnswered;
  for (const listener of listeners) listener(isUp);
  if (!isUp) void askAgain();
}

async function askAgain(): Promise<void> {
  while (!isUp) {
    await new Promise((resolve) => void setTimeout(resolve, RETRY_MS));
    await fetch('/healthz').then(
      () => noteAnswer(true),
      () => undefined,
    );
  }
}
