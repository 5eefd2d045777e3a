import type { SearchOutput } from '../../../operations/records/search.ts';
import { onOneLine } from './fence.ts';

/** What the search behind an answer could not do, one line each. */
export function warningLines({ missing, notices }: Pick<SearchOutput, 'missing' | 'notices'>): string[] {
  return [
    ...notices.map((notice) => sentence(onOneLine(notice))),
    ...missing.map(({ signal, why }) => `Searched without ${signal}: ${onOneLine(why)}.`),
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
