import type { Texts } from '../text.ts';

export const RECORDS = {
  timelineAbout: {
    en: 'What was remembered when: by the day of a note or an event, or else by the last change.',
    de: 'Was wann gemerkt wurde: nach dem Tag einer Notiz oder eines Termins, sonst nach der letzten Änderung.',
  },
  recordsAbout: {
    en: 'Everything that is remembered.',
    de: 'Alles, was gemerkt ist.',
  },
  total: { en: '{n} record | {n} records', de: '{n} Eintrag | {n} Einträge' },
  emptyTitle: { en: 'Nothing here', de: 'Hier ist nichts' },
  empty: {
    en: 'Your notes come here when Loci reads them, and so does what agents write. This command reads a folder:',
    de: 'Hierher kommen Ihre Notizen, wenn Loci sie liest, und was Agenten schreiben. Dieser Befehl liest einen Ordner:',
  },
  emptyFiltered: {
    en: 'No record passes these filters.',
    de: 'Kein Eintrag passt zu diesen Filtern.',
  },
  emptyDeleted: { en: 'Nothing was deleted.', de: 'Nichts wurde gelöscht.' },
  clear: { en: 'Remove the filters', de: 'Filter entfernen' },
  brush: {
    en: 'Drag across the bars to choose a time.',
    de: 'Ziehen Sie über die Balken, um eine Zeit zu wählen.',
  },
  histogram: {
    en: '{n} records by {unit}, from {from} until {until}',
    de: '{n} Einträge je {unit}, von {from} bis {until}',
  },
  undated: {
    en: '{n} note has no date, and is in no bar. | {n} notes have no date, and are in no bar.',
    de: '{n} Notiz hat kein Datum und ist in keinem Balken. | {n} Notizen haben kein Datum und sind in keinem Balken.',
  },
  undatedNotes: { en: 'Without a date', de: 'Ohne Datum' },
  unit_day: { en: 'day', de: 'Tag' },
  unit_week: { en: 'week', de: 'Woche' },
  unit_month: { en: 'month', de: 'Monat' },
  unit_year: { en: 'year', de: 'Jahr' },
  otherSources: { en: 'other', de: 'andere' },
  updatedColumn: { en: 'Changed', de: 'Geändert' },
  deletedColumn: { en: 'Deleted', de: 'Gelöscht' },
  deleted: { en: 'Deleted', de: 'Gelöscht' },
  stored: { en: 'Remembered', de: 'Gemerkt' },
  timeline: { en: 'Timeline', de: 'Zeitachse' },
  show: { en: 'Show', de: 'Zeigen' },
  restored: { en: 'Restored.', de: 'Wiederhergestellt.' },
} as const satisfies Texts;
