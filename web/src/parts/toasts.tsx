import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asApiError } from '../api/use-request.ts';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Takes back what was just done. */
  readonly undo?: (() => unknown) | undefined;
}

/** How long a message stays, in milliseconds. One that can be undone stays longer. */
const SHOWN_MS = { plain: 5000, undo: 12_000 };

let toasts: readonly Toast[] = [];
let nextId = 0;
let show: (toasts: readonly Toast[]) => void = () => undefined;

function set(next: readonly Toast[]): void {
  toasts = next;
  show(next);
}

/** Says in a corner of the page what was done, with a way to take it back. */
export function notify(text: string, undo?: () => unknown): void {
  const id = nextId++;
  set([...toasts.slice(-2), { id, text, undo }]);
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), undo ? SHOWN_MS.undo : SHOWN_MS.plain);
}

/** Says why something failed. */
export function attempt(work: Promise<unknown>): void {
  work.catch((error: unknown) => notify(asApiError(error).message));
}

export function Toasts(): JSX.Element {
  const [shown, setShown] = useState(toasts);
  useEffect(() => {
    show = setShown;
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                set(toasts.filter((toast) => toast.id !== id));
                attempt(Promise.resolve(undo()));
              }}
            >
              {t(SHELL.undo)}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
