import { navigate } from '../../router.tsx';

/** Sets values of the address; an empty one and `null` remove it. */
export function changeQuery(query: URLSearchParams, changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    if (value !== null && value !== '') next.append(name, value);
  }
  const text = next.toString();
  navigate(`${location.pathname}${text === '' ? '' : `?${text}`}`);
}
