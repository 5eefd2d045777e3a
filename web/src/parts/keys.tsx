import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { Dialog } from './dialog.tsx';

/** A key of a page: `j`, `Enter`, `ArrowDown`, and what it does. */
export interface Key {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
  /** Whether it also works while a text is typed. Default false. */
  readonly whileTyping?: boolean;
}

const registered = new Set<{ readonly current: readonly Key[] }>();

/** Removes the field of index.html for what is typed while the page is loaded, and returns its text. */
export function takeEarlyKeys(): string {
  const field = document.querySelector<HTMLInputElement>('#early-keys');
  field?.remove();
  return field?.value ?? '';
}

/** Gives the page these keys for as long as it is shown; `?` lists them. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    registered.add(latest);
    return () => {
      registered.delete(latest);
    };
  }, []);
}

window.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
  if (document.querySelector('dialog[open]') !== null) return;
  // The page that was opened last comes first.
  for (const { current } of [...registered].reverse()) {
    const found = current.find(
      ({ key, whileTyping }) => key === event.key && (whileTyping === true || !isTyping),
    );
    if (found === undefined) continue;
    event.preventDefault();
    found.run();
    return;
  }
});

const SHOWN: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

export function KeyHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const keys = [...registered].flatMap(({ current }) => [...current]);
  return (
    <Dialog title={t(SHELL.keysTitle)} onClose={onClose}>
      <table class="table">
        <tbody>
          {keys.map(({ key, does }) => (
            <tr key={key}>
              <td>
                <kbd>{SHOWN[key] ?? key}</kbd>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
