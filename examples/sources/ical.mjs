#!/usr/bin/env node
// Prints the events and todos of iCalendar files as documents for Loci.
import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseComponents, textOf, unfoldedText } from './ical/components.mjs';
import { documentsOf } from './ical/documents.mjs';
import { loadNodeIcal } from './ical/node-ical.mjs';
import { seriesOf } from './ical/series.mjs';
import { localZoneName } from './ical/zones.mjs';
import { currentTime, readBytes, readEach, runProgram, wholeNumber } from './program.mjs';

const HELP = `Usage: node ical.mjs FILE|FOLDER... [--days N] [--past N]

Prints the events and todos of iCalendar files, or of all .ics files in folders, as documents for Loci:
one JSON object per line. It needs the package node-ical: run \`npm install node-ical\` in the folder of this program.

  --days N     days ahead of today (14)
  --past N     days before today (1)
  --now TIME   use this as the current time
  --help       print this text
`;
const MAX_FILES = 5000;
const MAX_DOCUMENTS = 2000;

await runProgram({
  help: HELP,
  least: 1,
  options: {
    days: { type: 'string', default: '14' },
    past: { type: 'string', default: '1' },
    now: { type: 'string' },
  },
  documents: async ({ values, positionals, warn }) => {
    await loadNodeIcal();
    const window = windowOf(
      currentTime(values),
      wholeNumber(values, 'past', 366),
      wholeNumber(values, 'days', 366),
    );
    const calendars = readEach(filesOf(positionals, warn), readCalendars(warn), warn).flat();
    const documents = seriesOf(calendars).flatMap((series) => {
      try {
        return documentsOf(series, window);
      } catch (error) {
        warn(`${nameOf(series)}: ${error.message}`);
        return [];
      }
    });
    if (documents.length > MAX_DOCUMENTS) warn(`only the first ${MAX_DOCUMENTS} of ${documents.length}`);
    return documents.sort(byTime).slice(0, MAX_DOCUMENTS);
  },
});

/** From the beginning of the first day to the end of the last one, in the time zone of this machine. */
function windowOf(now, past, days) {
  const midnight = (offset) => {
    const date = new Date(now);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset).getTime();
  };
  return { from: midnight(-past), to: midnight(days + 1) };
}

/** `{ path, folder }` of each file. `folder` is the name of the folder on the command line; null if the file itself is there. */
function filesOf(paths, warn) {
  const files = readEach(
    paths.map((path) => ({ path })),
    ({ path }) => {
      if (!statSync(path).isDirectory()) return [{ path, folder: null }];
      const names = readdirSync(path).filter((name) => /\.ics$/i.test(name) && !name.startsWith('.'));
      return names.sort().map((name) => ({ path: join(path, name), folder: basename(resolve(path)) }));
    },
    warn,
  ).flat();
  if (files.length > MAX_FILES) warn(`only the first ${MAX_FILES} of ${files.length} files`);
  return files.slice(0, MAX_FILES);
}

/** The default name of a calendar is that of its file; if each event has its own file, that of the folder. */
function readCalendars(warn) {
  return ({ path, folder }) => {
    const calendars = parseComponents(unfoldedText(readBytes(path)), (message) =>
      warn(`${path}: ${message}`),
    );
    const events = new Set(calendars.flatMap(({ children }) => children.map((each) => textOf(each, 'UID'))));
    events.delete(null);
    const name = folder !== null && events.size === 1 ? folder : basename(path).replace(/\.ics$/i, '');
    return calendars.map((calendar) => ({ calendar, name }));
  };
}

function nameOf({ master, overrides, uid }) {
  const { component } = master ?? overrides[0];
  return `${JSON.stringify(textOf(component, 'SUMMARY') ?? 'Untitled')} (${uid})`;
}

function byTime(one, other) {
  const [first, second] = [one, other].map(({ timestamp }) => Date.parse(timestamp ?? ''));
  return (first || 0) - (second || 0) || (one.id < other.id ? -1 : 1);
}
