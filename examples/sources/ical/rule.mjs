import { ical } from './node-ical.mjs';

/** The number of times per day that a rule may have with BYHOUR, BYMINUTE and BYSECOND. */
const MAX_TIMES_A_DAY = 24;

/**
 * The dates of an RRULE from `from` to `to`, both included, as wall-clock times: milliseconds since 1970 as if
 * the clock showed UTC. node-ical is used in UTC only: in a zone it leaves out times that summer time skips (RFC 5545 moves them
 * by the hour that is skipped, section 3.3.10), and for floating times it keeps UTC instead of the clock.
 * @param {string} rule
 * @param {number} start
 * @param {(until: string) => number} parseUntil Wall-clock time of the UNTIL of the rule.
 * @param {{ from: number, to: number }} range
 * @returns {number[]}
 * @throws {Error} if the rule is invalid, or has so many dates that it would take too long.
 */
export function datesOfRule(rule, start, parseUntil, { from, to }) {
  const parts = partsOf(rule);
  if (parts.has('UNTIL')) {
    const until = parseUntil(parts.get('UNTIL'));
    if (until < start) return [];
    parts.set('UNTIL', stampOf(until));
  }
  const text = [...parts].map(([name, value]) => `${name}=${value}`).join(';');
  const event = ['BEGIN:VEVENT', 'UID:rule', `DTSTART:${stampOf(start)}`, `RRULE:${text}`, 'END:VEVENT'];
  const { rule: parsed } = ical.sync.parseICS(['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR'].join('\r\n'));
  try {
    return parsed.rrule.between(new Date(Math.max(from, start)), new Date(to), true).map(Number);
  } catch (error) {
    throw new Error(`its rule cannot be followed: ${error.message}`, { cause: error });
  }
}

function partsOf(rule) {
  const upper = rule.trim().toUpperCase();
  if (upper.length > 1000 || !/^[A-Z-]+=[A-Z0-9,+-]+(?:;[A-Z-]+=[A-Z0-9,+-]+)*;?$/.test(upper))
    throw new Error(`the rule ${JSON.stringify(rule.slice(0, 100))} is not understood`);
  const parts = new Map(
    upper
      .split(';')
      .filter((part) => part !== '')
      .map((part) => part.split('=')),
  );
  if (!/^(?:YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY)$/.test(parts.get('FREQ') ?? ''))
    throw new Error(`it repeats ${parts.get('FREQ') ?? 'without saying how often'}: that is not followed`);
  if (parts.get('INTERVAL') === '0') throw new Error('it repeats every 0 times');
  const times = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].map((name) => parts.get(name)?.split(',').length ?? 1);
  if (times.reduce((product, length) => product * length) > MAX_TIMES_A_DAY)
    throw new Error('it repeats too often a day');
  return parts;
}

/** `20261125T100000Z` */
function stampOf(wall) {
  return new Date(wall).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
