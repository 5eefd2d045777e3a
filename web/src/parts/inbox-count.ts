import { useEffect, useRef } from 'preact/hooks';
import { call } from '../api/client.ts';
import { useChanges } from '../api/events.ts';
import { usePolling } from '../api/use-polling.ts';
import { useRequest } from '../api/use-request.ts';
import { setUnseen } from './page.tsx';

type Listener = () => void;
const counters = new Set<Listener>();
const readers = new Set<Listener>();

/** Counts the inbox again, after the reader has kept or undone something. */
export function inboxChanged(): void {
  for (const count of counters) count();
}

/** Calls `onChange` when something has entered or left the inbox, and not at other changes of the memory. */
export function useInboxChanges(onChange: Listener): void {
  useListener(readers, onChange);
}

function useListener(listeners: Set<Listener>, onChange: Listener): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const listener = (): void => latest.current();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
}

/** How many changes wait in the inbox. It is also shown before the title of the document. */
export function useInboxCount(): number {
  const { data, reload } = useRequest(
    (signal) => call('/api/v1/inbox/list', { limit: 1, changes: 0 }, { signal }),
    null,
  );
  const count = data === undefined ? 0 : data.total;
  const state = data === undefined ? null : `${String(count)}/${data.groups[0]?.to ?? ''}`;
  const before = useRef(state);
  useEffect(() => {
    setUnseen(count);
    if (before.current !== null && before.current !== state) for (const listener of readers) listener();
    before.current = state;
  }, [state]);
  useChanges(reload);
  usePolling(reload);
  useListener(counters, reload);
  return count;
}
