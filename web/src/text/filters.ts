import type { Texts } from './text.ts';

export const FILTERS = {
  filter: { en: 'Filter', de: 'Filter' },
  folder: { en: 'Folder', de: 'Ordner' },
  source: { en: 'Source', de: 'Quelle' },
  project: { en: 'Project', de: 'Projekt' },
  tag: { en: 'Tag', de: 'Schlagwort' },
  type: { en: 'Type', de: 'Art' },
  category: { en: 'Category', de: 'Kategorie' },
  trust: { en: 'Written by', de: 'Geschrieben von' },
  operator: { en: 'you', de: 'Ihnen' },
  agent: { en: 'agents', de: 'Agenten' },
  external: { en: 'sources', de: 'Quellen' },
  time: { en: 'Time', de: 'Zeit' },
  from: { en: 'From', de: 'Von' },
  until: { en: 'Until', de: 'Bis' },
  remove: { en: 'Remove the filter {name}: {value}', de: 'Filter entfernen: {name}: {value}' },
  more: { en: '{n} more | {n} more', de: '{n} weiterer | {n} weitere' },
} as const satisfies Texts;
