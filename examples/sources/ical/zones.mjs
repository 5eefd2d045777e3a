import { propertyOf } from './components.mjs';
import { ical } from './node-ical.mjs';
import { datesOfRule } from './rule.mjs';

/**
 * @typedef {{ offsetAt: (instant: number) => number }} Zone Milliseconds that clocks are ahead of UTC at an instant.
 */

const DAY = 86_400_000;
/** Changes of the offset in a VTIMEZONE are computed for this period. */
const OBSERVED = { from: Date.UTC(1970, 0, 1), to: Date.UTC(2100, 0, 1) };

/** No zone on Earth has had so many changes of the offset since 1970. */
const MAX_ONSETS = 5000;

/** @type {Zone} */
export const UTC = { offsetAt: () => 0 };

/** The zone of this machine, or of TZ. */
export function localZoneName() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * The instant of the local time `wall` in a zone. Of a local time that occurs twice it is the first; a skipped one is read with
 * the offset before the change (RFC 5545, section 3.3.5).
 * @param {number} wall
 * @param {Zone} zone
 */
export function instantOf(wall, zone) {
  const before = wall - zone.offsetAt(wall - DAY);
  if (before + zone.offsetAt(before) === wall) return before;
  const after = wall - zone.offsetAt(wall + DAY);
  return after + zone.offsetAt(after) === wall ? after : before;
}

const named = new Map();

/**
 * The zone of an IANA name such as Europe/Berlin; null if there is none.
 * @returns {Zone | null}
 */
export function namedZone(name) {
  if (!named.has(name)) named.set(name, makeNamedZone(name));
  return named.get(name);
}

function makeNamedZone(timeZone) {
  let format;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
  const offsetAt = (instant) => {
    const { value } = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
    const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(value);
    if (sign === undefined) return 0;
    return (
      (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0))
    );
  };
  return { offsetAt };
}

/**
 * Resolves the time zones of a calendar: `zoneOf(tzid)`. IANA names take precedence over a VTIMEZONE of the same name, which
 * may be outdated. Other names are those of a VTIMEZONE, or else Windows names. Null for an unknown name.
 * @returns {(tzid: string) => Zone | null}
 */
export function zonesOf(calendar) {
  const definitions = new Map(
    calendar.children
      .filter(({ name }) => name === 'VTIMEZONE')
      .map((definition) => [propertyOf(definition, 'TZID')?.value.trim(), definition]),
  );
  const found = new Map();
  return (tzid) => {
    if (!found.has(tzid)) {
      const defined = definitions.get(tzid);
      const zone = namedZone(tzid) ?? (defined === undefined ? null : definedZone(defined));
      found.set(
        tzid,
        zone ?? windowsZone(tzid) ?? namedZone(/[A-Z]\w+\/[A-Z][\w/+-]+$/.exec(tzid)?.[0] ?? ''),
      );
    }
    return found.get(tzid);
  };
}

/** Finds the zone of a Windows name: node-ical has the table, so it parses a time in that zone. */
function windowsZone(tzid) {
  if (!/^[^"\p{Cc}]{1,100}$/u.test(tzid)) return null;
  const event = ['BEGIN:VEVENT', 'UID:zone', `DTSTART;TZID="${tzid}":20260101T000000`, 'END:VEVENT'];
  const { zone } = ical.sync.parseICS(['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR'].join('\r\n'));
  return namedZone(zone?.start?.tz ?? '');
}

function definedZone(definition) {
  const observances = definition.children
    .filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT')
    .flatMap(onsetsOf)
    .sort((one, other) => one.at - other.at);
  if (observances.length === 0 || observances.length > MAX_ONSETS) return null;
  return {
    offsetAt: (instant) => {
      const observance = observances.findLast(({ at }) => at <= instant);
      return observance === undefined ? observances[0].from : observance.to;
    },
  };
}

/** The times at which an observance of a VTIMEZONE begins: `{ at, from, to }`, with the offsets before and after. */
function onsetsOf(observance) {
  const from = offsetIn(observance, 'TZOFFSETFROM');
  const to = offsetIn(observance, 'TZOFFSETTO');
  const start = wallTime(propertyOf(observance, 'DTSTART')?.value ?? '');
  if (from === null || to === null || start === null) return [];
  const values = (name) => (observance.properties.get(name) ?? []).map(({ value }) => value);
  // UNTIL is in UTC here.
  const until = (value) => (wallTime(value) ?? Number.NaN) + (value.endsWith('Z') ? from : 0);
  const walls = [
    start,
    ...values('RRULE').flatMap((rule) => datesOfRule(rule, start, until, OBSERVED)),
    ...values('RDATE').flatMap((dates) => dates.split(',').map(wallTime)),
  ];
  return walls.filter((wall) => wall !== null).map((wall) => ({ at: wall - from, from, to }));
}

function offsetIn(observance, name) {
  const text = propertyOf(observance, name)?.value ?? '';
  const [, sign, hours, minutes, seconds] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text.trim()) ?? [];
  if (sign === undefined) return null;
  return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0));
}

/**
 * Parses a DATE or DATE-TIME as if it were UTC, to milliseconds since 1970. Null for other text and days such as 30 February.
 * @param {string} value
 */
export function wallTime(value) {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/i.exec(value.trim()) ?? [];
  if (year === undefined) return null;
  const clock = `${hour ?? '00'}:${minute ?? '00'}:${second === '60' ? '59' : (second ?? '00')}`;
  const time = Date.parse(`${year}-${month}-${day}T${clock}Z`);
  const real = !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${year}-${month}-${day}`);
  return real ? time : null;
}
