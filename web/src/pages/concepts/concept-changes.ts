import { useEffect, useRef } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { asApiError } from '../../api/use-request.ts';
import { notify } from '../../parts/toasts.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { t } from '../../text/text.ts';

export type Change = Output<'/api/v1/concept/changes'>['changes'][number];

const listeners = new Set<() => void>();

/** Reads again what is shown of concepts, whichever view has made or undone a change. */
export function conceptsChanged(): void {
  for (const listener of listeners) listener();
}

/** Calls `onChange` when concepts were changed, on this page or by somebody else. */
export function useConceptChanges(onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  // Names come from the notes.
  useChanges(({ kinds }) => {
    if (kinds.includes('concepts') || kinds.includes('records')) onChange();
  });
  useEffect(() => {
    const listener = (): void => latest.current();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
}

/** Undoes a change, and says so with a way to make it count again. */
export function undoChange({ id, what }: Pick<Change, 'id' | 'what'>): void {
  call('/api/v1/concept/undo', { change: id }).then(
    ({ change }) => {
      notify(t(CONCEPTS.undoneNow, { what }), () => undoChange(change));
      conceptsChanged();
    },
    (error: unknown) => notify(asApiError(error).message),
  );
}
