import { Chrono, configuration, type Parser } from 'chrono-node/en';

export const MONTH =
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const SPAN = `(\\d{1,4}|an?|(?:a )?few|(?:a )?couple(?: of)?|${NUMBERS.join('|')})\\s+(day|week|month|year)s?`;
/** "In a month ago" is of the past, although "in a month" is not. */
const AMOUNT = new RegExp(`\\b(?:in\\s+)?${SPAN}\\s+(ago|later|from now)\\b|\\bin\\s+${SPAN}\\b`, 'i');
/** "The past two weeks", and "in the last month", which ends today. */
const UNTIL_NOW = new RegExp(
  `\\b(?:last|past|previous)\\s+${SPAN}\\b|\\b(?:in|over|during|within|for)\\s+the\\s+(?:last|past)\\s+(day|week|month|year)\\b`,
  'i',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const WEEKDAY_AGO = new RegExp(
  `\\b(an?|(?:a )?couple(?: of)?|\\d{1,2}|${NUMBERS.join('|')})\\s+(${WEEKDAYS.join('|')})s?\\s+ago\\b`,
  'i',
);
export const NEXT = /\bnext\b/i;
export const LAST = /\b(?:last|past)\b/i;
const WEEKEND = /\b(this|next|last|past)\s+weekend\b/i;

/**
 * "Ten days ago", "in a week". Chrono's own parsers of amounts accept far more, but compiling their regular expressions
 * blocks the process for a third of a second (chrono-node 2.10).
 */
const AMOUNTS: Parser = {
  pattern: () => AMOUNT,
  extract: (context, match) => {
    const past = match[3]?.toLowerCase() === 'ago';
    const amount = amountOf(match[1] ?? match[4] ?? '') * (past ? -1 : 1);
    const unit = (match[2] ?? match[5] ?? '').toLowerCase();
    const date = new Date(context.refDate);
    if (unit === 'day' || unit === 'week') date.setDate(date.getDate() + amount * (unit === 'week' ? 7 : 1));
    else
      date.setFullYear(
        date.getFullYear() + (unit === 'year' ? amount : 0),
        date.getMonth() + (unit === 'month' ? amount : 0),
        1,
      );
    const components = context.createParsingComponents({ year: date.getFullYear() });
    if (unit === 'year') return components.imply('month', 1).imply('day', 1);
    components.assign('month', date.getMonth() + 1);
    return unit === 'month' ? components.imply('day', 1) : components.assign('day', date.getDate());
  },
};

/** "The past two weeks": from so long ago until today. */
const SPANS_UNTIL_NOW: Parser = {
  pattern: () => UNTIL_NOW,
  extract: (context, match) => {
    const amount = amountOf(match[1] ?? 'a');
    const unit = (match[2] ?? match[3] ?? '').toLowerCase();
    const today = dayOf(context.refDate, 0);
    const from = new Date(today);
    if (unit === 'month') from.setMonth(from.getMonth() - amount);
    else if (unit === 'year') from.setFullYear(from.getFullYear() - amount);
    else from.setDate(from.getDate() - amount * (unit === 'week' ? 7 : 1));
    return resultOf(context, match, from, today);
  },
};

/** "Two Saturdays ago": the last one that is over is one ago. */
const WEEKDAYS_AGO: Parser = {
  pattern: () => WEEKDAY_AGO,
  extract: (context, match) => {
    const weekday = WEEKDAYS.indexOf(match[2]!.toLowerCase());
    const since = (context.refDate.getDay() - weekday + 7) % 7 || 7;
    const day = dayOf(context.refDate, -since - 7 * (amountOf(match[1]!) - 1));
    return context.createParsingComponents(partsOf(day));
  },
};

function amountOf(text: string): number {
  const word = text.toLowerCase();
  if (word.includes('few')) return 3;
  if (word.includes('couple')) return 2;
  const number = NUMBERS.indexOf(word) + 1;
  return number > 0 ? number : word.startsWith('a') ? 1 : Number(word);
}

/** "This weekend": Chrono only reads the word "weekend". */
const WEEKENDS: Parser = {
  pattern: () => WEEKEND,
  extract: (context, match) => {
    const weeks = NEXT.test(match[0]) ? 1 : LAST.test(match[0]) ? -1 : 0;
    const saturday = dayOf(mondayOf(context.refDate), weeks * 7 + 5);
    const sunday = dayOf(saturday, 1);
    return resultOf(context, match, saturday, sunday);
  },
};

/** A range of whole days. */
function resultOf(
  context: Parameters<Parser['extract']>[0],
  match: RegExpMatchArray,
  first: Date,
  last: Date,
): ReturnType<(typeof context)['createParsingResult']> {
  const result = context.createParsingResult(match.index ?? 0, match[0], partsOf(first));
  result.end = context.createParsingComponents(partsOf(last));
  return result;
}

function partsOf(day: Date): { year: number; month: number; day: number } {
  return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
}

const { parsers, refiners } = configuration.createCasualConfiguration();
const lightParsers = [
  AMOUNTS,
  SPANS_UNTIL_NOW,
  WEEKDAYS_AGO,
  WEEKENDS,
  ...parsers.filter((parser) => !parser.constructor.name.includes('TimeUnit')),
];
const withoutMonthParsers = lightParsers.filter((parser) => !parser.constructor.name.includes('MonthName'));
const chrono = new Chrono({ parsers: lightParsers, refiners });
const chronoWithoutMonths = new Chrono({ parsers: withoutMonthParsers, refiners });

/** The parsers of month names take long to compile as well: only queries that name a month need them. */
export function chronoFor(query: string): Chrono {
  return MONTH.test(query) ? chrono : chronoWithoutMonths;
}

export function mondayOf(day: Date): Date {
  return dayOf(day, -((day.getDay() + 6) % 7));
}

export function dayOf(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
