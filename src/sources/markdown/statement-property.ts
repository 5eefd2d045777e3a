import type { Json, Metadata } from '../../core/types.ts';

/** What a note says about another one, in its own words or in its front matter. */
export type Statement = 'supersedes' | 'superseded_by' | 'derived_from';

/** Properties, compared in lower case with `_` for spaces and dashes. */
const PROPERTIES: Readonly<Record<string, Statement>> = {
  supersedes: 'supersedes',
  replaces: 'supersedes',
  obsoletes: 'supersedes',
  ersetzt: 'supersedes',
  superseded_by: 'superseded_by',
  replaced_by: 'superseded_by',
  obsoleted_by: 'superseded_by',
  ersetzt_durch: 'superseded_by',
  derived_from: 'derived_from',
  based_on: 'derived_from',
  abgeleitet_von: 'derived_from',
};

export function statementOfProperty(property: string): Statement | null {
  const name = property.trim().toLowerCase().replace(/[ -]/g, '_');
  return Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name]! : null;
}

/** Longer texts are no names of notes. In UTF-16 code units. */
const MAX_NAME_LENGTH = 300;

/** A note that a property names without the brackets of a link: `supersedes: Old plan`. */
export interface NamedNote {
  readonly statement: Statement;
  /** What a link in its place would have as its target. */
  readonly target: string;
}

/** The notes that the properties of a note name plainly. Whether they exist is not known here. */
export function notesNamedPlainly(properties: Metadata): NamedNote[] {
  return Object.entries(properties).flatMap(([property, value]) => {
    const statement = statementOfProperty(property);
    if (statement === null) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((each) => {
      const target = plainTarget(each);
      return target === null ? [] : [{ statement, target }];
    });
  });
}

/** `null` for links, addresses, citations of written records (`record/12`), and texts that are too long for a name. */
function plainTarget(value: Json): string | null {
  if (typeof value !== 'string' || value.length > MAX_NAME_LENGTH) return null;
  if (/[\n[\]]|:\/\/|^record\/\d+$/.test(value)) return null;
  const target = value.split(/[#|]/, 1)[0]!.trim().toWellFormed().normalize('NFC');
  return target === '' ? null : target;
}
