import { shownText } from '../../src/pack/text/span.ts';
import type { Need } from './question-set.ts';

/**
 * The text in the form in which statements are compared: as a pack shows it, on one line, without the marks of emphasis and of quotes.
 * A statement is so found across the ends of lines, and a row of a table whatever the widths of its columns.
 */
export function comparable(text: string): string {
  return shownText(text)
    .replaceAll(/^[ \t]*>[ \t]?/gm, '')
    .replaceAll('*', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The needs that a text does not hold. */
export function missingNeeds(needs: readonly Need[], text: string): Need[] {
  const held = comparable(text);
  return needs.filter((need) => ![need, ...need.or].some((each) => held.includes(comparable(each.text))));
}
