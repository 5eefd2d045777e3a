/** The languages whose words for months and weekdays are read. */
const LANGUAGES = 'en en-GB de fr es pt it nl pl sv da nb ru ja zh ko'.split(' ');
/** Languages whose abbreviated months are read. Elsewhere, words such as `set` and `ago` stand beside numbers too. */
const ABBREVIATING = new Set(['en', 'en-GB', 'de', 'fr', 'nl']);

/** The number of a month, from 1, by its name or abbreviation; `null` for another word. */
export function monthNamed(word: string): number | null {
  months ??= wordTable(12, (index) => Date.UTC(2024, index, 1), monthForms);
  return months.get(plain(word)) ?? null;
}

/** The number of a weekday, from 0 for Sunday, by its name or abbreviation; `null` for another word, and for the name of a month. */
export function weekdayNamed(word: string): number | null {
  // The letters of ISO 8601 are no words. To make the tables takes 30 ms.
  if (/^[TZ]$/i.test(word)) return null;
  // 7 January 2024 was a Sunday.
  weekdays ??= wordTable(7, (index) => Date.UTC(2024, 0, 7 + index), weekdayForms);
  return monthNamed(word) === null ? (weekdays.get(plain(word)) ?? null) : null;
}

type WordTable = ReadonlyMap<string, number | null>;
let months: WordTable | undefined;
let weekdays: WordTable | undefined;

/** The forms of a month alone and beside a day, which some languages inflect. */
function monthForms(language: string): Intl.DateTimeFormatOptions[] {
  const styles = ABBREVIATING.has(language) ? (['long', 'short'] as const) : (['long'] as const);
  return styles.flatMap((month) => [{ month }, { month, day: 'numeric' }]);
}

function weekdayForms(): Intl.DateTimeFormatOptions[] {
  return [{ weekday: 'long' }, { weekday: 'short' }];
}

/** A word that has two meanings has none: `listopad` is October in one language and November in another. */
function wordTable(
  size: number,
  timeOf: (index: number) => number,
  formsOf: (language: string) => Intl.DateTimeFormatOptions[],
): WordTable {
  const table = new Map<string, number | null>();
  const first = size === 12 ? 1 : 0;
  for (const language of LANGUAGES)
    for (const form of formsOf(language)) {
      const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' });
      for (let index = 0; index < size; index++) {
        const parts = format.formatToParts(timeOf(index));
        const word = plain(parts.find(({ type }) => type in form && type !== 'day')?.value ?? '');
        if (!/\p{L}/u.test(word)) continue;
        const number = index + first;
        table.set(word, (table.get(word) ?? number) === number ? number : null);
      }
    }
  return table;
}

function plain(word: string): string {
  return word.normalize('NFC').toLowerCase().replaceAll('.', '');
}
