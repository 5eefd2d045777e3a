import type { SearchOutput } from '../../../operations/records/search.ts';
import { onOneLine } from './fence.ts';

/** What an answer lacks, one line each. */
export function warningLines({
  missing = [],
  notices,
}: Partial<Pick<SearchOutput, 'missing'>> & Pick<SearchOutput, 'notices'>): string[] {
  return [
    ...notices.map((notice) => sentence(onOneLine(notice))),
    ...missing.map(({ signal, why }) => `Searched without ${signal}: ${onOneLine(why)}.`),
  ];
}

/** The names that stand for no node. */
export function unknownLines(unknown: readonly { readonly reason: string }[]): string[] {
  return unknown.map(({ reason }) => `Not found: ${onOneLine(reason)}.`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
