import { createHash } from 'node:crypto';
import { propertyOf, textOf } from './components.mjs';
import { zonesOf } from './zones.mjs';

/**
 * @typedef {object} Item An event or todo.
 * @property {object} component
 * @property {(tzid: string) => import('./zones.mjs').Zone | null} zoneOf The zones of its calendar.
 * @property {string} calendar Name of the calendar.
 * @property {boolean} cancelled
 */

/**
 * @typedef {object} Series The components with one UID: the event or todo, and the replacements of occurrences, newest first.
 * @property {string} uid
 * @property {'VEVENT' | 'VTODO'} kind
 * @property {Item | null} master
 * @property {Item[]} overrides
 */

/**
 * Groups the components of all calendars by UID. Of two versions the newer one is used.
 * @param {{ calendar: object, name: string }[]} calendars
 * @returns {Series[]}
 */
export function seriesOf(calendars) {
  const found = new Map();
  for (const item of calendars.flatMap(itemsOf)) {
    const { component } = item;
    const uid = textOf(component, 'UID') ?? hashOf(component);
    const key = `${component.name} ${uid}`;
    const series = found.get(key) ?? { uid, kind: component.name, master: null, overrides: [] };
    found.set(key, series);
    if (component.properties.has('RECURRENCE-ID')) series.overrides.push(item);
    else if (series.master === null || compareVersions(item, series.master) >= 0) series.master = item;
  }
  for (const { overrides } of found.values()) overrides.sort((one, other) => compareVersions(other, one));
  return [...found.values()];
}

function itemsOf({ calendar, name }) {
  const zoneOf = zonesOf(calendar);
  const retracted = textOf(calendar, 'METHOD')?.toUpperCase() === 'CANCEL';
  return calendar.children
    .filter((component) => component.name === 'VEVENT' || component.name === 'VTODO')
    .map((component) => ({
      component,
      zoneOf,
      calendar: textOf(calendar, 'X-WR-CALNAME') ?? name,
      cancelled: retracted || textOf(component, 'STATUS')?.toUpperCase() === 'CANCELLED',
    }));
}

/** Above 0 if the first is newer, by SEQUENCE and then by the time of the last change. */
function compareVersions({ component: one }, { component: other }) {
  const sequence = (component) => Number.parseInt(propertyOf(component, 'SEQUENCE')?.value ?? '0', 10) || 0;
  const changed = (component) => textOf(component, 'LAST-MODIFIED') ?? textOf(component, 'DTSTAMP') ?? '';
  const difference = sequence(one) - sequence(other);
  if (difference !== 0 || changed(one) === changed(other)) return difference;
  return changed(one) < changed(other) ? -1 : 1;
}

function hashOf(component) {
  const text = ['DTSTART', 'DUE', 'SUMMARY'].map((name) => textOf(component, name) ?? '').join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
