import type { SearchOutput } from '../../../operations/records/search.ts';
import { onOneLine } from './fence.ts';

/** The maximum number of existing names that are listed for a filter. */
const MAX_KNOWN_NAMES = 12;

/** The values of filters that no record has, and values that records have. */
export function unmatchedLines(unmatched: SearchOutput['unmatched']): string[] {
  return unmatched.map(({ filter, value, known }) => {
    const names = known.slice(0, MAX_KNOWN_NAMES).map(quoted).join(', ');
    const more = known.length > MAX_KNOWN_NAMES ? ` and ${String(known.length - MAX_KNOWN_NAMES)} more` : '';
    const existing = known.length === 0 ? 'none has any' : `existing values: ${names}${more}`;
    return `No record has the ${filter} ${quoted(value)}; ${existing}.`;
  });
}

/** Untrusted text outside of a fence. */
export function quoted(name: string): string {
  return JSON.stringify(onOneLine(name));
}
