import type { Json, Metadata } from '../../core/types.ts';
import {
  dayIn,
  findDate,
  onLocalDay,
  readDate,
  readPeriod,
  writtenDate,
  type OrderOf,
  type WrittenDate,
  type WrittenPeriod,
} from './written-date.ts';

/** The role of a date in a note: the day that the note is about, which may be ahead, its creation, or its last change. */
type DateRole = 'date' | 'created' | 'modified';

/** Names of properties in lower case, without spaces, dashes and underscores: `created_at` and `Created At` are `createdat`. */
const ROLES: Readonly<Record<string, DateRole>> = {
  ...{ date: 'date', datum: 'date', fecha: 'date', data: 'date' },
  ...namesOf('created', [
    'created createdat createdon createddate createdtime datecreated timecreated creationdate creationtime',
    'createtime createdate ctime birthtime erstellt erstelltam creado criado',
  ]),
  ...namesOf('modified', [
    'updated updatedat updatedon updateddate updatedtime dateupdated modified modifiedat modifiedon modifieddate',
    'datemodified modificationdate modificationtime lastmodified lastmodifiedat lastupdated lastupdate lastmod',
    'lastedited lastedittime lastchanged mtime aktualisiert',
  ]),
};

function namesOf(role: DateRole, names: readonly string[]): Record<string, DateRole> {
  return Object.fromEntries(
    names
      .join(' ')
      .split(' ')
      .map((name) => [name, role]),
  );
}

/** A date as a note has it. */
export interface DateField {
  readonly role: DateRole;
  readonly property: string;
  readonly text: string;
  /** Whether it is an inline field of the text. */
  readonly inline: boolean;
}

/** The date in a property; `null` if it is none, or empty, or a placeholder of a template. */
export function dateField(property: string, value: Json, inline = false): DateField | null {
  const name = property.toLowerCase().replaceAll(/[\s_-]/g, '');
  if (!Object.hasOwn(ROLES, name)) return null;
  const text = textOf(value).trim();
  if (text === '' || /\{\{|<%/.test(text)) return null;
  // It is a date in Portuguese, Italian, Polish and Romanian, and anything in English.
  if (name === 'data' && readDate(text, () => null) === null) return null;
  return { role: ROLES[name]!, property, text, inline };
}

/** A list of one is that one. `[[2024-05-01]]` without quotes is a list of a list. */
function textOf(value: Json): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return '';
  return value.length === 1 ? textOf(value[0]!) : value.map(textOf).join(', ');
}

export interface NoteDates {
  /** The creation as the note gives it, or else the day that the note is about, on the clock of this machine; `null` if neither is known. */
  readonly created: WrittenDate | null;
  /**
   * Metadata of the record: `date`, the day that the note is about, or the first one of its `period`; the day of its creation if that
   * differs; and its last change.
   */
  readonly metadata: Metadata;
  /** Dates as they are written: `03-05-2024` if the order of day and month is not known, and dates that cannot be read. */
  readonly ambiguous: readonly string[];
  readonly unreadable: readonly string[];
}

/** A problem names this much of a date that cannot be read. UTF-16 units. */
const MAX_NAMED_LENGTH = 80;

/** A note that says it is older was made when what it is about was. */
const FIRST_NOTE = '1980-01-01';

/**
 * The dates of a note. Of several with the same role, the first that can be read counts. The day that it is about is its `date`, or else
 * the day of its creation, or else the day in the name of the file, or else the period that one of these names.
 */
export function noteDates(fields: readonly DateField[], fileName: string, orderOf: OrderOf): NoteDates {
  const found: Partial<Record<DateRole, WrittenDate>> = {};
  const [ambiguous, unreadable]: [string[], string[]] = [[], []];
  let period: WrittenPeriod | null = null;
  for (const field of fields) {
    const { role, property, text } = field;
    const date = readDate(text, orderOf);
    const written = `${property}: ${text}`.slice(0, MAX_NAMED_LENGTH);
    if (date === 'ambiguous') ambiguous.push(written);
    else if (date === null) {
      const ofField = readPeriod(text);
      if (ofField === null) unreadable.push(written);
      else if (role !== 'modified') period ??= ofField;
    } else if (!isOfSubject(field, date)) found[role] ??= date;
  }
  const { date, created = null, modified } = found;
  const named = date ?? created ?? dateInName(fileName, orderOf);
  if (named === 'ambiguous')
    return { ...noteDates(fields, '', orderOf), ambiguous: [...ambiguous, fileName] };
  if (named === null) period ??= periodInName(fileName);
  const about = named ?? (period === null ? null : writtenDate(period.firstDay));
  const isOwnDay = created !== null && created.day !== date?.day;
  const metadata = {
    ...(about !== null && { date: about.day }),
    ...(named === null && period !== null && { period: period.period }),
    ...(isOwnDay && { created: created.day }),
    ...(modified !== undefined && { modified: modified.iso }),
  };
  const made = created ?? about;
  return { created: made === null ? null : onLocalDay(made), metadata, ambiguous, unreadable };
}

/** A name that is an earlier year, such as `1984`, is rarely that of a yearly note. */
const FIRST_YEARLY_NOTE = '1990';

function periodInName(fileName: string): WrittenPeriod | null {
  const found = readPeriod(fileName);
  return found !== null && found.period.length === 4 && found.period < FIRST_YEARLY_NOTE ? null : found;
}

/** Whether a date is that of a person or a work that the note is about. */
function isOfSubject({ role, inline }: DateField, { day }: WrittenDate): boolean {
  return day < FIRST_NOTE && (role === 'created' || inline);
}

export function dateInName(fileName: string, orderOf: OrderOf): WrittenDate | 'ambiguous' | null {
  const found = findDate(fileName);
  if (found === null) return null;
  const day = dayIn(found, orderOf);
  return day === null ? 'ambiguous' : writtenDate(day);
}

/** When a note was last changed, by the metadata of its record. */
export function modifiedDate({ modified }: Metadata): WrittenDate | null {
  const date = typeof modified === 'string' ? readDate(modified, () => null) : null;
  return date === 'ambiguous' ? null : date;
}
