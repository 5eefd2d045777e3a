import type { Texts } from './text.ts';

/** What every page shows. */
export const SHELL = {
  search: { en: 'Search', de: 'Suche' },
  inbox: { en: 'Inbox', de: 'Eingang' },
  records: { en: 'Records', de: 'Einträge' },
  graph: { en: 'Graph', de: 'Graph' },
  packs: { en: 'Packs', de: 'Packs' },
  receipts: { en: 'Receipts', de: 'Belege' },
  facts: { en: 'Facts', de: 'Fakten' },
  startup: { en: 'Startup text', de: 'Starttext' },
  sources: { en: 'Sources', de: 'Quellen' },
  health: { en: 'Health', de: 'Zustand' },
  sessions: { en: 'Access', de: 'Zugang' },
  groupFind: { en: 'Find', de: 'Finden' },
  groupGiven: { en: 'Given to agents', de: 'An Agenten' },
  groupRun: { en: 'Run', de: 'Betrieb' },
  pages: { en: 'Pages', de: 'Seiten' },
  menu: { en: 'Menu', de: 'Menü' },
  skip: { en: 'Skip to the content', de: 'Zum Inhalt springen' },
  memoryOf: { en: 'Memory of', de: 'Gedächtnis von' },
  otherMemory: {
    en: 'You are looking at the memory of {name}. What you change here is changed for them.',
    de: 'Sie sehen das Gedächtnis von {name}. Was Sie hier ändern, ändert sich dort.',
  },
  backToOwn: { en: 'Back to your own', de: 'Zurück zum eigenen' },
  theme: { en: 'Appearance', de: 'Darstellung' },
  themeSystem: { en: 'As the system', de: 'Wie das System' },
  themeLight: { en: 'Light', de: 'Hell' },
  themeDark: { en: 'Dark', de: 'Dunkel' },
  language: { en: 'Language', de: 'Sprache' },
  keys: { en: 'Keyboard', de: 'Tastatur' },
  keysTitle: { en: 'Keys on this page', de: 'Tasten auf dieser Seite' },
  keySearch: { en: 'Search', de: 'Suchen' },
  keyHelp: { en: 'Show these keys', de: 'Diese Tasten zeigen' },
  close: { en: 'Close', de: 'Schließen' },
  lock: { en: 'End this session', de: 'Sitzung beenden' },
  loading: { en: 'Loading …', de: 'Lädt …' },
  retry: { en: 'Try again', de: 'Erneut versuchen' },
  failed: { en: 'This could not be loaded', de: 'Das konnte nicht geladen werden' },
  offline: {
    en: 'The server does not answer. It may have stopped: start it with `loci ui`.',
    de: 'Der Server antwortet nicht. Vielleicht wurde er beendet: `loci ui` startet ihn.',
  },
  lockedTitle: { en: 'This page is locked', de: 'Diese Seite ist gesperrt' },
  locked: {
    en: 'Only you can open it, from a terminal on this machine. Run this command, and follow the link:',
    de: 'Nur Sie können sie öffnen, in einem Terminal auf diesem Rechner. Führen Sie diesen Befehl aus, und folgen Sie dem Link:',
  },
  spentTitle: {
    en: 'This link has been used or has expired',
    de: 'Dieser Link ist verbraucht oder abgelaufen',
  },
  spent: {
    en: 'A link opens the page once, within a minute. Run this command for a new one:',
    de: 'Ein Link öffnet die Seite einmal, innerhalb einer Minute. Dieser Befehl gibt einen neuen:',
  },
  notFoundTitle: { en: 'There is no such page', de: 'Diese Seite gibt es nicht' },
  notFound: { en: 'The address may be mistyped.', de: 'Die Adresse ist vielleicht falsch geschrieben.' },
  toSearch: { en: 'Go to the search', de: 'Zur Suche' },
  more: { en: 'Show more', de: 'Mehr zeigen' },
  noDate: { en: 'no date', de: 'ohne Datum' },
  title: { en: 'Title', de: 'Titel' },
  edit: { en: 'Edit', de: 'Bearbeiten' },
  editKey: { en: 'Edit {key}', de: '{key} bearbeiten' },
  restore: { en: 'Restore', de: 'Wiederherstellen' },
  copy: { en: 'Copy', de: 'Kopieren' },
  saved: { en: '{key} is saved', de: '{key} ist gespeichert' },
  savedMasked: {
    en: '{key} is saved. What looked like credentials is masked.',
    de: '{key} ist gespeichert. Was nach Zugangsdaten aussah, ist unkenntlich gemacht.',
  },
  save: { en: 'Save', de: 'Speichern' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  showAll: { en: 'Show all of it', de: 'Ganz zeigen' },
  showLess: { en: 'Show less', de: 'Weniger zeigen' },
  undo: { en: 'Undo', de: 'Rückgängig' },
  hidden: { en: 'invisible character {code}', de: 'unsichtbares Zeichen {code}' },
} as const satisfies Texts;

/** Who a text is from. */
export const TRUST = {
  operator: { en: 'you', de: 'Ihnen' },
  agent: { en: 'an agent', de: 'einem Agenten' },
  external: { en: 'a source', de: 'einer Quelle' },
} as const satisfies Texts;

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
  any: { en: 'All', de: 'Alle' },
  today: { en: 'Today', de: 'Heute' },
  week: { en: 'Last 7 days', de: 'Letzte 7 Tage' },
  month: { en: 'Last 30 days', de: 'Letzte 30 Tage' },
  year: { en: 'Last 365 days', de: 'Letzte 365 Tage' },
  from: { en: 'From', de: 'Von' },
  until: { en: 'Until', de: 'Bis' },
  remove: { en: 'Remove the filter {name}: {value}', de: 'Filter entfernen: {name}: {value}' },
  more: { en: '{n} more | {n} more', de: '{n} weiterer | {n} weitere' },
  fewer: { en: 'Fewer', de: 'Weniger' },
} as const satisfies Texts;

/** The names of fields that a change has. */
export const FIELDS = {
  title: { en: 'title', de: 'Titel' },
  content: { en: 'text', de: 'Text' },
  tags: { en: 'tags', de: 'Tags' },
  category: { en: 'category', de: 'Kategorie' },
  record_type: { en: 'type', de: 'Art' },
  project: { en: 'project', de: 'Projekt' },
  expires_at: { en: 'expiry', de: 'Ablauf' },
  metadata: { en: 'properties', de: 'Eigenschaften' },
  key: { en: 'key', de: 'Schlüssel' },
} as const satisfies Texts;

export const DIFF = {
  line: { en: 'Line {n}', de: 'Zeile {n}' },
  characters: { en: '{n} character | {n} characters', de: '{n} Zeichen | {n} Zeichen' },
  added: { en: 'added', de: 'neu' },
  removed: { en: 'removed', de: 'entfernt' },
} as const satisfies Texts;

/** What is shown while something takes long. */
export const TASK = {
  started: { en: 'Working …', de: 'Läuft …' },
  reading: { en: 'Reading', de: 'Liest' },
  deriving: { en: 'Rebuilding', de: 'Baut neu auf' },
  relating: { en: 'Connecting records', de: 'Verbindet Einträge' },
  embedding: { en: 'Embedding', de: 'Berechnet Vektoren' },
  indexing: { en: 'Indexing vectors', de: 'Indiziert Vektoren' },
  waiting: { en: 'Waiting for', de: 'Wartet auf' },
  checking: { en: 'Checking', de: 'Prüft' },
  copying: { en: 'Copying', de: 'Kopiert' },
  deleting: { en: 'Deleting', de: 'Löscht' },
  count: { en: '{done} of {total}', de: '{done} von {total}' },
  progress: { en: 'Progress', de: 'Fortschritt' },
  stop: { en: 'Stop', de: 'Anhalten' },
} as const satisfies Texts;
