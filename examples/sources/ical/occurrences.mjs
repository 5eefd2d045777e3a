import { propertyOf } from './components.mjs';
import { datesOfRule } from './rule.mjs';
import { endOf, instant, isoText, parseDuration, parseTime } from './times.mjs';

const DAY = 86_400_000;
/** How far before a window something may have begun and still last. */
const LONGEST = 366 * DAY;

/**
 * @typedef {object} Occurrence
 * @property {object} item The component that tells of it: the series, or what replaces this one of it.
 * @property {string | null} original When it was to begin at first, as `isoText` writes it; null if nothing repeats.
 * @property {import('./times.mjs').Time} start
 * @property {import('./times.mjs').Time} end
 */

/**
 * What a series stands for between two instants: its DTSTART, RRULE and RDATE without EXDATE, and its replacements, which
 * count wherever they were moved to. Cancelled ones are among them.
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

/** Replacements of one and all that follow it (RANGE=THISANDFUTURE), the last first: by how much they move each. */
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

/** What is moved into the window may have been far from it. */
function widened({ from, to }) {
  return { from: from - LONGEST, to: to + LONGEST };
}

/** Whether it overlaps the window; what takes no time, whether it begins in it. */
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

/** A replacement tells in whatever zone which one of the series it replaces; a day alone means the time on that day. */
function recurrenceId({ component, zoneOf }, start) {
  const id = parseTime(propertyOf(component, 'RECURRENCE-ID'), zoneOf);
  if (start === undefined || start.kind === id.kind) return sameInstant(id, start);
  if (start.kind === 'day') return { ...start, wall: dayOf(id.wall) };
  if (id.kind === 'day') return { ...start, wall: id.wall + (start.wall - dayOf(start.wall)) };
  return sameInstant(id, start);
}

/** The same moment as the clocks of the series show it, so that both are written alike. */
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

/** When a series begins each time, with spans of their own where RDATE names periods. */
function startsOf({ component, zoneOf }, { start, span }, { from, to }) {
  // Clocks are at most 14 hours from UTC.
  const lasts = Math.min(span.days * DAY + span.milliseconds, LONGEST);
  const range = { from: from - lasts - DAY, to: to + DAY };
  const until = (value) => untilOf(value, start);
  const dates = (component.properties.get('RRULE') ?? []).flatMap(({ value }) =>
    datesOfRule(value, start.wall, until, range),
  );
  // What begins a series belongs to it, even if its rule would not have it: calendars show it.
  const walls = new Set([start.wall, ...dates]);
  return [
    ...[...walls].map((wall) => ({ start: { ...start, wall } })),
    ...timesIn(component, 'RDATE', zoneOf),
  ];
}

/** The last time of a rule on the clocks of its series. */
function untilOf(value, start) {
  const time = parseTime({ value, parameters: {} }, () => null);
  if (time.kind === 'day') return start.kind === 'day' ? time.wall : time.wall + DAY - 1000;
  const wall = time.kind === 'floating' ? time.wall : time.wall + start.zone.offsetAt(time.wall);
  return start.kind === 'day' ? dayOf(wall) : wall;
}

function timesIn(component, name, zoneOf) {
  return (component.properties.get(name) ?? []).flatMap(({ value, parameters }) =>
    // Some calendars write a list of nothing.
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
