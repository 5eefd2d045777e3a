/** A text of the pages in the two languages. `{name}` stands for a value. */
export interface Text {
  readonly en: string;
  readonly de: string;
}
export type Texts = Readonly<Record<string, Text>>;
export type Language = keyof Text;

const LANGUAGE_KEY = 'loci-language';

/** The language of the pages: the reader's choice, or else the first of the browser that there is. */
export const language: Language = chosen() ?? (navigator.language.startsWith('de') ? 'de' : 'en');

function chosen(): Language | null {
  const value = localStorage.getItem(LANGUAGE_KEY);
  return value === 'en' || value === 'de' ? value : null;
}

/** Shows all pages in another language. */
export function selectLanguage(next: Language): void {
  localStorage.setItem(LANGUAGE_KEY, next);
  location.reload();
}

/** A command in a text of the page, which is no Markdown. */
const COMMAND = /`([^`]+)`/g;
const QUOTED: Readonly<Record<Language, string>> = { en: '“$1”', de: '„$1“' };

/** The text in the language of the pages, with its values. */
export function t(text: Text, values: Readonly<Record<string, string | number>> = {}): string {
  return text[language]
    .replaceAll(COMMAND, QUOTED[language])
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === 'number' ? formatNumber(value) : value;
    });
}

/** A text for a number, `one | many`: `{n} result | {n} results`. */
export function counted(
  text: Text,
  n: number,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const [one = '', many = one] = text[language].split(' | ');
  const form = n === 1 ? one : many;
  return t({ en: form, de: form }, { ...values, n });
}

const NUMBER = new Intl.NumberFormat(language);
export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

const DAY = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
export function formatDay(iso: string): string {
  return DAY.format(new Date(iso));
}
export function formatMoment(iso: string): string {
  return MOMENT.format(new Date(iso));
}

/** The local day, as a field for dates has it. */
export function dayOf(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const AGO = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
/** Units of time in seconds, and from how many of them on the next larger one is used. */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number, number])[] = [
  ['second', 1, 60],
  ['minute', 60, 60],
  ['hour', 3600, 24],
  ['day', 86_400, 14],
  ['week', 604_800, 9],
  ['month', 2_629_800, 24],
  ['year', 31_557_600, Infinity],
];

/** `3 minutes ago`, `in 2 days`. */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, size, limit] of UNITS) {
    const amount = Math.round(seconds / size);
    if (Math.abs(amount) < limit) return AGO.format(amount, unit);
  }
  return formatDay(iso);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
/** `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const rank = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const digits = rank === 0 ? 0 : 1;
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: digits });
  return `${format.format(bytes / 1000 ** rank)} ${BYTE_UNITS[rank]!}`;
}

/** `340 ms`, `1.2 s`, `3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${formatNumber(Math.round(ms))} ms`;
  if (ms < 90_000)
    return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(ms / 1000)} s`;
  if (ms < 5_400_000) return `${formatNumber(Math.round(ms / 60_000))} min`;
  return `${formatNumber(Math.round(ms / 3_600_000))} h`;
}
