import type { Json, Metadata } from '../../core/types.ts';
import { dayIn, findDate, readDate, writtenDate, type OrderOf, type WrittenDate } from './written-date.ts';

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

/** A date as a note has it, in its front matter or as an inline field. */
export interface DateField {
  readonly role: DateRole;
  readonly property: string;
  readonly text: string;
}

/** The date in a property; `null` if it is none, or empty, or a placeholder of a template. */
export function dateField(property: string, value: Json): DateField | null {
  const name = property.toLowerCase().replaceAll(/[\s_-]/g, '');
  if (!Object.hasOwn(ROLES, name)) return null;
  const text = textOf(value).trim();
  if (text === '' || /\{\{|<%/.test(text)) return null;
  // It is a date in Portuguese, Italian, Polish and Romanian, and anything in English.
  if (name === 'data' && readDate(text, () => null) === null) return null;
  return { role: ROLES[name]!, property, text };
}

/** A list of one is that one. `[[2024-05-01]]` without quotes is a list of a list. */
function textOf(value: Json): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return '';
  return value.length === 1 ? textOf(value[0]!) : value.map(textOf).join(', ');
}

export interface NoteDates {
  /** The creation as the note gives it, or else the day that the note is about; `null` if neither is known. */
  readonly created: WrittenDate | null;
  /** Metadata of the record: the day that the note is about, the day of its creation if that differs, and its last change. */
  readonly metadata: Metadata;
  /** Dates as they are written: `03-05-2024` if the order of day and month is not known, and dates that cannot be read. */
  readonly ambiguous: readonly string[];
  readonly unreadable: readonly string[];
}

/** A problem names this much of a date that cannot be read. UTF-16 units. */
const MAX_NAMED_LENGTH = 80;

/** The dates of a note. Of several with the same role, the first that can be read counts. */
export function noteDates(fields: readonly DateField[], fileName: string, orderOf: OrderOf): NoteDates {
  const found: Partial<Record<DateRole, WrittenDate>> = {};
  const [ambiguous, unreadable]: [string[], string[]] = [[], []];
  for (const { role, property, text } of fields) {
    const date = readDate(text, orderOf);
    const written = `${property}: ${text}`.slice(0, MAX_NAMED_LENGTH);
    if (date === 'ambiguous') ambiguous.push(written);
    else if (date === null) unreadable.push(written);
    else found[role] ??= date;
  }
  const { date, created = null, modified } = found;
  // `date`, or else the day of the creation, or else the day in the name of the file.
  const about = date ?? created ?? dateInName(fileName, orderOf);
  if (about === 'ambiguous')
    return { ...noteDates(fields, '', orderOf), ambiguous: [...ambiguous, fileName] };
  const isOwnDay = created !== null && created.day !== date?.day;
  const metadata = {
    ...(about !== null && { date: about.day }),
    ...(isOwnDay && { created: created.day }),
    ...(modified !== undefined && { modified: modified.iso }),
  };
  return { created: created ?? about, metadata, ambiguous, unreadable };
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
