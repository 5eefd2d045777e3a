import { instantOf, localZoneName, namedZone, UTC, wallTime } from './zones.mjs';

const DAY = 86_400_000;

/**
 * @typedef {object} Time
 * @property {number} wall The local time, in milliseconds since 1970 as if it were UTC.
 * @property {'day' | 'floating' | 'fixed'} kind A whole day; a time without a zone, which is local everywhere; or
 *   a time in a zone.
 * @property {import('./zones.mjs').Zone} zone
 */

/**
 * The time of a property, or of one of the values of EXDATE and RDATE.
 * @param {{ value: string, parameters: Record<string, string> }} property
 * @param {(tzid: string) => import('./zones.mjs').Zone | null} zoneOf
 * @returns {Time}
 * @throws {Error} when it is no time, or its zone is known to nobody.
 */
export function parseTime({ value, parameters }, zoneOf) {
  const wall = wallTime(value);
  if (wall === null) throw new Error(`${JSON.stringify(value.slice(0, 60))} is no time`);
  if (/^\d{8}$/.test(value.trim())) return { wall, kind: 'day', zone: localZone() };
  if (/Z$/i.test(value.trim())) return { wall, kind: 'fixed', zone: UTC };
  if (parameters.TZID === undefined) return { wall, kind: 'floating', zone: localZone() };
  const zone = zoneOf(parameters.TZID);
  if (zone === null) throw new Error(`nobody knows the time zone ${JSON.stringify(parameters.TZID)}`);
  return { wall, kind: 'fixed', zone };
}

function localZone() {
  return namedZone(localZoneName()) ?? UTC;
}

/** The time in milliseconds since 1970. A whole day begins at midnight in the zone of this machine. */
export function instant({ wall, zone }) {
  return instantOf(wall, zone);
}

/** `2026-11-25`, `2026-11-25T10:00:00` (no zone) or `2026-11-25T10:00:00Z`, independent of the zone of this machine. */
export function isoText(time) {
  const { wall, kind } = time;
  if (kind === 'day') return isoOf(wall).slice(0, 10);
  return kind === 'floating' ? isoOf(wall).slice(0, -1) : isoOf(instant(time));
}

function isoOf(milliseconds) {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/**
 * A duration: calendar days, which may have 23 or 25 hours, and milliseconds.
 * @typedef {{ days: number, milliseconds: number }} Span
 */

/** @returns {Time} The end of an event that begins at `start`. */
export function endOf(start, { days, milliseconds }) {
  const shifted = { ...start, wall: start.wall + days * DAY };
  if (start.kind === 'day' || milliseconds === 0) return shifted;
  // Milliseconds are added in UTC, where no time occurs twice.
  return { wall: instant(shifted) + milliseconds, kind: 'fixed', zone: UTC };
}

/**
 * @param {string} value A DURATION such as P1DT12H.
 * @returns {Span}
 */
export function parseDuration(value) {
  const [, sign, weeks, days, hours, minutes, seconds] =
    /^([+-])?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/i.exec(
      value.trim(),
    ) ?? [];
  const number = (text) => Number(text ?? 0);
  // A negative duration counts as none.
  if (sign === '-') return { days: 0, milliseconds: 0 };
  return {
    days: number(weeks) * 7 + number(days),
    milliseconds: (number(hours) * 3600 + number(minutes) * 60 + number(seconds)) * 1000,
  };
}
