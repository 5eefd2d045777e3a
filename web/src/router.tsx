import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The pages are below this path. */
const BASE = '/ui';

/** Where the reader is: a path without the base (`/search`) and the query of the address. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What a page gets: the part of the path after its own, and the query of the address. */
export interface PageProps {
  /** `12` for `/record/12`; empty for the path of the page itself. */
  readonly rest: string;
  readonly query: Place['query'];
}

const listeners = new Set<() => void>();

function place(): Place {
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : location.pathname;
  return { path: path === '' ? '/' : path, query: new URLSearchParams(location.search) };
}

window.addEventListener('popstate', () => {
  for (const listener of listeners) listener();
});

/** The place, which follows the address. */
export function usePlace(): Place {
  const [current, setCurrent] = useState(place);
  useEffect(() => {
    const listener = (): void => setCurrent(place());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return current;
}

/** Values of a query; those that are empty or undefined are left out, and a list is repeated. */
export type QueryValues = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The address of a page: `href('/record/12')`, `href('/search', { q: 'oven' })`. */
export function href(path: string, query: QueryValues = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? (value as string[]) : [value as string | number | undefined])
      if (each !== undefined && each !== '') values.append(name, String(each));
  }
  const text = values.toString();
  return `${BASE}${path}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a page. `replace` makes no entry in the history: for what changes with each key. */
export function navigate(address: string, { replace = false } = {}): void {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', address);
  else {
    history.pushState(null, '', address);
    window.scrollTo(0, 0);
  }
  for (const listener of listeners) listener();
}

interface LinkProps {
  /** What `href` returned. */
  readonly to: string;
  readonly class?: string;
  readonly title?: string;
  readonly tabIndex?: number;
  readonly 'aria-current'?: 'page' | undefined;
  readonly children: ComponentChildren;
}

/** A link to a page. The browser's own ways to open a link in another tab work. */
export function Link({ to, children, ...rest }: LinkProps): JSX.Element {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={onClick}>
      {children}
    </a>
  );
}
