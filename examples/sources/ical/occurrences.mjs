import { propertyOf } from './components.mjs';
import { datesOfRule } from './rule.mjs';
import { endOf, instant, isoText, parseDuration, parseTime } from './times.mjs';

const DAY = 86_400_000;
/** Occurrences that begin earlier before a window are not found. */
const LONGEST = 366 * DAY;

/**
 * @typedef {object} Occurrence
 * @property {object} item The component that describes it: that of the series, or its replacement.
 * @property {string | null} original Its original time, as `isoText` writes it; null if the event does not repeat.
 * @property {import('./times.mjs').Time} start
 * @property {import('./times.mjs').Time} end
 */

/**
 * The occurrences of a series within a window: DTSTART, RRULE and RDATE without EXDATE, with replacements at their new times.
 * Includes cancelled occurrences.
 * @param {{ master: object | null, overrides: object[] }} series Items: `{ component, zoneOf }`.
 * @param {{ from: number, to: number }} window
 * @returns {Occurrence[]}
 */
export function occurrencesOf({ master, overrides }, window) {
  const first = master === null ? null : spanOf(master);
  const replaced = overrides.map((item) => ({ item, id: recurrenceId(item, first?.start) }));
  const moved = replaced.map(({ item, id }) => ({ item, original: isoText(id), ...spanOf(item, id) }));
  if (first === null) return moved.filter((each) => isWithin(each, window));
  const repeats = ['RRULE', 'RDATE'].some((name) => master.component.properties.has(name));
  if (!repeats && overrides.length === 0)
    return [{ item: master, original: null, start: first.start, end: first.end }].filter((each) =>
      isWithin(each, window),
    );
  const gone = excludedBy(
    master,
    replaced.map(({ id }) => id),
  );
  const following = changesOf(replaced, first.start);
  const regular = startsOf(master, first, following.length === 0 ? window : widened(window))
    .filter(({ start }) => !gone(start))
    .map(({ start, span }) => {
      const change = following.find(({ since }) => since <= instant(start));
      const moved = change === undefined ? start : { ...start, wall: start.wall + change.shift };
      const lasts = change?.span ?? span ?? first.span;
      return {
        item: change?.item ?? master,
        original: isoText(start),
        start: moved,
        end: endOf(moved, lasts),
      };
    });
  const seen = new Set();
  return [...regular, ...moved]
    .filter((each) => isWithin(each, window))
    .filter(({ original }) => !seen.has(original) && seen.add(original))
    .sort((one, other) => instant(one.start) - instant(other.start));
}

/** The replacements of an occurrence and all later ones (RANGE=THISANDFUTURE), latest first, and how far they move them. */
function changesOf(replaced, { zone }) {
  const wallOf = (time) => instant(time) + zone.offsetAt(instant(time));
  return replaced
    .filter(({ item }) => propertyOf(item.component, 'RECURRENCE-ID').parameters.RANGE === 'THISANDFUTURE')
    .map(({ item, id }) => {
      const { start, span } = spanOf(item, id);
      return { item, span, since: instant(id), shift: wallOf(start) - wallOf(id) };
    })
    .sort((one, other) => other.since - one.since);
}

/** Occurrences that are moved into the window may originally be outside of it. */
function widened({ from, to }) {
  return { from: from - LONGEST, to: to + LONGEST };
}

/** Whether an occurrence overlaps the window, or, without a duration, begins within it. */
function isWithin({ start, end }, { from, to }) {
  const [begins, ends] = [instant(start), instant(end)];
  return begins < to && (ends > from || begins >= from);
}

function spanOf({ component, zoneOf }, otherwise) {
  const time = (name) => {
    const property = propertyOf(component, name);
    return property === undefined ? undefined : parseTime(property, zoneOf);
  };
  const ends = time('DTEND') ?? time('DUE');
  const start = time('DTSTART') ?? otherwise ?? ends;
  if (start === undefined) throw new Error('it says nowhere when it is');
  const duration = propertyOf(component, 'DURATION');
  const span =
    ends !== undefined
      ? between(start, ends)
      : duration !== undefined
        ? parseDuration(duration.value)
        : { days: start.kind === 'day' && component.name === 'VEVENT' ? 1 : 0, milliseconds: 0 };
  return { start, span, end: endOf(start, span) };
}

function between(start, end) {
  if (start.kind === 'day') {
    const days = Math.floor((end.wall - start.wall) / DAY);
    return { days: Math.max(days, 0), milliseconds: 0 };
  }
  return { days: 0, milliseconds: Math.max(instant(end) - instant(start), 0) };
}

/** A replacement names its occurrence by a time in any zone, or by a day. */
function recurrenceId({ component, zoneOf }, start) {
  const id = parseTime(propertyOf(component, 'RECURRENCE-ID'), zoneOf);
  if (start === undefined || start.kind === id.kind) return sameInstant(id, start);
  if (start.kind === 'day') return { ...start, wall: dayOf(id.wall) };
  if (id.kind === 'day') return { ...start, wall: id.wall + (start.wall - dayOf(start.wall)) };
  return sameInstant(id, start);
}

/** Converts a time to the zone of the series, so that equal times have the same text. */
function sameInstant(id, start) {
  if (start?.kind !== 'floating' || id.kind === 'floating') return id;
  const moment = instant(id);
  return { ...start, wall: moment + start.zone.offsetAt(moment) };
}

function dayOf(wall) {
  return Math.floor(wall / DAY) * DAY;
}

function excludedBy({ component, zoneOf }, replaced) {
  const excluded = timesIn(component, 'EXDATE', zoneOf).map(({ start }) => start);
  const moments = new Set([...excluded, ...replaced].filter(({ kind }) => kind !== 'day').map(instant));
  const days = new Set(
    [...excluded, ...replaced].filter(({ kind }) => kind === 'day').map(({ wall }) => wall),
  );
  return (start) => days.has(dayOf(start.wall)) || moments.has(instant(start));
}

/** The start of each occurrence, with its own duration if RDATE has a period. */
function startsOf({ component, zoneOf }, { start, span }, { from, to }) {
  // Zones differ from UTC by at most 14 hours.
  const lasts = Math.min(span.days * DAY + span.milliseconds, LONGEST);
  const range = { from: from - lasts - DAY, to: to + DAY };
  const until = (value) => untilOf(value, start);
  const dates = (component.properties.get('RRULE') ?? []).flatMap(({ value }) =>
    datesOfRule(value, start.wall, until, range),
  );
  // DTSTART is an occurrence even if it does not match the rule, as in calendar programs.
  const walls = new Set([start.wall, ...dates]);
  return [
    ...[...walls].map((wall) => ({ start: { ...start, wall } })),
    ...timesIn(component, 'RDATE', zoneOf),
  ];
}

/** The UNTIL of a rule in the zone of its series. */
function untilOf(value, start) {
  const time = parseTime({ value, parameters: {} }, () => null);
  if (time.kind === 'day') return start.kind === 'day' ? time.wall : time.wall + DAY - 1000;
  const wall = time.kind === 'floating' ? time.wall : time.wall + start.zone.offsetAt(time.wall);
  return start.kind === 'day' ? dayOf(wall) : wall;
}

function timesIn(component, name, zoneOf) {
  return (component.properties.get(name) ?? []).flatMap(({ value, parameters }) =>
    // Some calendars write an empty list.
    value
      .split(',')
      .filter((each) => each.trim() !== '')
      .map((each) => {
        const [from, to] = each.split('/');
        const start = parseTime({ value: from, parameters }, zoneOf);
        if (to === undefined) return { start };
        const span = to.startsWith('P')
          ? parseDuration(to)
          : between(start, parseTime({ value: to, parameters }, zoneOf));
        return { start, span };
      }),
  );
}
