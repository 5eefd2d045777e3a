import type { Texts } from '../text.ts';

export const SEARCH = {
  placeholder: { en: 'Ask in plain words', de: 'Fragen Sie in eigenen Worten' },
  emptyTitle: { en: 'Ask your memory', de: 'Fragen Sie Ihr Gedächtnis' },
  empty: {
    en: 'Write a question as you would ask a person: “what did we decide about the oven”. Words in quotes must occur exactly so.',
    de: 'Schreiben Sie eine Frage, wie Sie sie einem Menschen stellen würden: „was haben wir über den Backofen entschieden“. Wörter in Anführungszeichen müssen genau so vorkommen.',
  },
  results: { en: '{n} result | {n} results', de: '{n} Treffer | {n} Treffer' },
  unsure: {
    en: 'Nothing surely fits. These are the nearest.',
    de: 'Nichts passt sicher. Das kommt am nächsten.',
  },
  weaker: { en: 'Weaker matches', de: 'Schwächere Treffer' },
  related: { en: 'Related, from your sources', de: 'Dazu, aus Ihren Quellen' },
  second: { en: 'also', de: 'auch' },
  belongsTo: { en: 'belongs to', de: 'gehört zu' },
  nothing: { en: 'Nothing was found', de: 'Nichts gefunden' },
  nothingHint: {
    en: 'Try other words, or remove a filter.',
    de: 'Versuchen Sie andere Wörter, oder nehmen Sie einen Filter weg.',
  },
  nothingStored: {
    en: 'There is nothing in this memory yet. `loci index FOLDER` reads your notes.',
    de: 'In diesem Gedächtnis ist noch nichts. `loci index ORDNER` liest Ihre Notizen.',
  },
  nothingUnread: {
    en: 'Not read yet: {names}. `loci index` reads it.',
    de: 'Noch nicht gelesen: {names}. `loci index` liest es.',
  },
  nothingFilters: {
    en: 'No record passes these filters together: {names}.',
    de: 'Kein Eintrag passt zu all diesen Filtern: {names}.',
  },
  nothingHidden: {
    en: '{n} weak match was left out. | {n} weak matches were left out.',
    de: '{n} schwacher Treffer wurde weggelassen. | {n} schwache Treffer wurden weggelassen.',
  },
  showWeak: { en: 'Show weak matches', de: 'Schwache Treffer zeigen' },
  corrected: {
    en: 'No record has “{word}”. Also searched for: {instead}.',
    de: '„{word}“ kommt nicht vor. Auch gesucht: {instead}.',
  },
  missing: { en: 'Not searched by {signal}: {why}', de: 'Nicht nach {signal} gesucht: {why}' },
  more: { en: 'Show more results', de: 'Mehr Treffer zeigen' },
  why: { en: 'Why?', de: 'Warum?' },
  whyTitle: { en: 'What each signal added to the rank', de: 'Was jedes Signal zum Rang beitrug' },
  boosts: { en: 'Raised or lowered by', de: 'Angehoben oder gesenkt durch' },
  chance: {
    en: '{percent} that this, or one of the next four, is what you mean',
    de: '{percent}, dass dies oder einer der nächsten vier gemeint ist',
  },
  earlier: { en: 'earlier: see', de: 'früher: siehe' },
  also: { en: 'also on {days}', de: 'auch am {days}' },
  linkedAs: { en: 'linked in {title} as “{text}”', de: 'in {title} verlinkt als „{text}“' },
  keyNext: { en: 'Next result', de: 'Nächster Treffer' },
  keyPrevious: { en: 'Previous result', de: 'Voriger Treffer' },
  keyWhy: { en: 'Explain the result', de: 'Treffer erklären' },
  vector: { en: 'meaning', de: 'Bedeutung' },
  text: { en: 'words', de: 'Wörter' },
  spelling: { en: 'spelling', de: 'Schreibung' },
  recency: { en: 'recency', de: 'Aktualität' },
  operator: { en: 'you', de: 'Sie' },
  agent: { en: 'an agent', de: 'ein Agent' },
  external: { en: 'a source', de: 'eine Quelle' },
  writtenBy: { en: 'written by {who}', de: 'von: {who}' },
} as const satisfies Texts;

/** How a folder of notes is added. */
export const FOLDER = {
  title: { en: 'Add a folder of notes', de: 'Einen Ordner mit Notizen hinzufügen' },
  about: {
    en: 'There is nothing in this memory yet. Loci reads a folder of notes, such as an Obsidian vault, and never writes to it.',
    de: 'In diesem Gedächtnis ist noch nichts. Loci liest einen Ordner mit Notizen, etwa einen Obsidian-Vault, und schreibt nie hinein.',
  },
  path: { en: 'Path of the folder on this machine', de: 'Pfad des Ordners auf diesem Rechner' },
  add: { en: 'Add and read', de: 'Hinzufügen und lesen' },
  done: {
    en: '{n} note was read from {path}. | {n} notes were read from {path}.',
    de: '{n} Notiz aus {path} gelesen. | {n} Notizen aus {path} gelesen.',
  },
} as const satisfies Texts;
