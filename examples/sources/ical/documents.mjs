import { createHash } from 'node:crypto';
import { clockText, dayText } from '../day-text.mjs';
import { LIMITS, shortened, tagsEntry, urlEntry } from '../fitting.mjs';
import { propertyOf, textOf, textsOf } from './components.mjs';
import { occurrencesOf } from './occurrences.mjs';
import { instant, isoText, parseTime } from './times.mjs';
import { localZoneName } from './zones.mjs';

const DAY = 86_400_000;
const MAX_DESCRIPTION = 2000;
/** How long an open occurrence of a repeating todo is printed. */
const MAX_OVERDUE_MS = 366 * DAY;

/** The completion date of a todo that is completed without a date. */
const LONG_AGO = { value: '19700101', parameters: {} };

/**
 * The documents of a series: events within the window, open todos, and todos completed since the window begins.
 * @param {import('./series.mjs').Series} series
 * @param {{ from: number, to: number }} window
 */
export function documentsOf(series, window) {
  if (series.kind === 'VTODO') return todosOf(series, window);
  return occurrencesOf(series, window)
    .filter(({ item }) => !item.cancelled)
    .map(({ item, original, start, end }) => {
      const details = detailsOf(item, series);
      const when = periodText(start, end);
      const place = details.metadata.location;
      const head = [details.title, when, place === undefined ? null : `at ${place}`];
      return {
        id: idOf(series.uid, original),
        ...details,
        text: [head.filter((part) => part !== null).join(' · '), ...descriptionOf(item)].join('\n'),
        timestamp: isoText(start),
        metadata: { ...details.metadata, ...endEntry(start, end) },
      };
    });
}

function todosOf(series, window) {
  const { master } = series;
  const repeats = ['RRULE', 'RDATE'].some((name) => master?.component.properties.has(name));
  if (master !== null && !repeats && series.overrides.length === 0) {
    const due = propertyOf(master.component, 'DUE') ?? propertyOf(master.component, 'DTSTART');
    const end = due === undefined ? null : parseTime(due, master.zoneOf);
    const left = !master.cancelled && !(isDone(master) && instant(doneAt(master)) < window.from);
    return left ? [todoDocument(series, { item: master, original: null, end })] : [];
  }
  const open = occurrencesOf(series, { from: window.from - MAX_OVERDUE_MS, to: window.to });
  const overdue = open.findLastIndex(({ end }) => instant(end) < window.from);
  return open
    .slice(Math.max(overdue, 0))
    .filter(({ item, end }) => !item.cancelled && !(isDone(item) && instant(end) < window.from))
    .map((each) => todoDocument(series, each));
}

function todoDocument(series, { item, original, end }) {
  const details = detailsOf(item, series);
  const completed = isDone(item);
  const head = [details.title, end === null ? null : `due ${momentText(end)}`, completed ? 'done' : null];
  return {
    id: idOf(series.uid, original),
    ...details,
    text: [head.filter((part) => part !== null).join(' · '), ...descriptionOf(item)].join('\n'),
    ...(end !== null ? { timestamp: isoText(end) } : completed ? { timestamp: isoText(doneAt(item)) } : {}),
    completed,
  };
}

function isDone({ component }) {
  const status = textOf(component, 'STATUS')?.toUpperCase();
  if (status !== undefined && status !== 'COMPLETED') return false;
  return (
    status === 'COMPLETED' ||
    component.properties.has('COMPLETED') ||
    textOf(component, 'PERCENT-COMPLETE') === '100'
  );
}

function doneAt({ component, zoneOf }) {
  const candidates = ['COMPLETED', 'LAST-MODIFIED', 'DTSTAMP'].map((name) => propertyOf(component, name));
  const property = candidates.find((each) => each !== undefined);
  return parseTime(property ?? LONG_AGO, zoneOf);
}

/** The fields of events and todos. */
function detailsOf({ component, calendar }, { master }) {
  const title = textOf(component, 'SUMMARY') ?? (master && textOf(master.component, 'SUMMARY')) ?? 'Untitled';
  const organizer = propertyOf(component, 'ORGANIZER');
  const metadata = {
    calendar,
    location: textOf(component, 'LOCATION'),
    organizer: organizer && (organizer.parameters.CN ?? organizer.value.replace(/^mailto:/i, '')),
    tentative: textOf(component, 'STATUS')?.toUpperCase() === 'TENTATIVE',
  };
  const entries = Object.entries(metadata).filter(([, value]) => value);
  return {
    title: shortened(oneLine(title), LIMITS.title),
    ...tagsEntry(textsOf(component, 'CATEGORIES')),
    ...urlEntry(textOf(component, 'URL')),
    metadata: Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        value === true ? value : shortened(oneLine(value), LIMITS.entry),
      ]),
    ),
  };
}

/** Removes HTML tags, but not other text in angle brackets. */
function descriptionOf({ component }) {
  const text = textOf(component, 'DESCRIPTION');
  if (text === null) return [];
  const plain = text.replace(/<br\s*\/?>|<\/p>/gi, '\n').replace(/<\/?[a-z][^<>]*>/gi, '');
  return [shortened(plain.trim(), MAX_DESCRIPTION)];
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ');
}

function endEntry(start, end) {
  const last = end.kind === 'day' ? lastDay(end) : end;
  return instant(last) > instant(start) ? { ends: isoText(last) } : {};
}

/** The DTEND of a whole day is the day after it. */
function lastDay(end) {
  return { ...end, wall: end.wall - DAY };
}

function periodText(start, end) {
  const begins = momentText(start);
  if (start.kind === 'day') {
    const last = momentText(lastDay(end));
    return end.wall - start.wall <= DAY ? begins : `${begins} – ${last}`;
  }
  if (instant(end) <= instant(start)) return begins;
  const [startDay, endDay] = [start, end].map((time) => dayText(instant(time), localZoneName()));
  if (startDay !== endDay) return `${begins} – ${momentText(end)}`;
  return `${begins}–${clockText(instant(end), localZoneName())}`;
}

function momentText(time) {
  if (time.kind === 'day') return dayText(time.wall, 'UTC');
  return `${dayText(instant(time), localZoneName())}, ${clockText(instant(time), localZoneName())}`;
}

/** The id of an occurrence. It contains the original time, so that it does not change when the occurrence is moved. */
function idOf(uid, original) {
  const id = original === null ? uid : `${uid}@${original}`;
  if (id.length <= 512 && !/\p{Cc}/u.test(id)) return id;
  return createHash('sha256').update(id).digest('hex');
}
