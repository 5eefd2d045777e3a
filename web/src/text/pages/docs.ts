import type { Texts } from '../text.ts';

export const DOCS = {
  title: { en: 'API', de: 'API' },
  about: {
    en: 'Every operation over HTTP: its fields, its answer, and examples. “loci token create” makes the token that requests need.',
    de: 'Jede Operation über HTTP: ihre Felder, ihre Antwort, und Beispiele. „loci token create“ erzeugt das Token, das Anfragen brauchen.',
  },
  search: { en: 'Search operations and fields', de: 'Operationen und Felder suchen' },
  none: { en: 'No operation matches', de: 'Keine Operation passt' },
  noneAbout: { en: 'Try another word.', de: 'Versuchen Sie ein anderes Wort.' },
  count: { en: '{n} operation | {n} operations', de: '{n} Operation | {n} Operationen' },
  document: { en: 'The OpenAPI document', de: 'Das OpenAPI-Dokument' },
  onPage: { en: 'only this page', de: 'nur diese Seite' },
  scope: { en: 'needs the scope {scope}', de: 'braucht den Bereich {scope}' },
  fields: { en: 'Fields', de: 'Felder' },
  noFields: { en: 'It has no fields.', de: 'Sie hat keine Felder.' },
  answer: { en: 'Answer', de: 'Antwort' },
  examples: { en: 'Examples', de: 'Beispiele' },
  field: { en: 'Field', de: 'Feld' },
  type: { en: 'Type', de: 'Typ' },
  meaning: { en: 'Meaning', de: 'Bedeutung' },
  required: { en: 'required', de: 'nötig' },
  within: { en: 'Its fields', de: 'Seine Felder' },
  copy: { en: 'Copy', de: 'Kopieren' },
  copied: { en: 'Copied', de: 'Kopiert' },
} as const satisfies Texts;
