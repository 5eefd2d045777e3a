import type { Texts } from '../text.ts';

export const HEALTH = {
  about: {
    en: 'Whether everything works, what to do where it does not, and how the memory grows.',
    de: 'Ob alles funktioniert, was zu tun ist, wo nicht, und wie das Gedächtnis wächst.',
  },
  again: { en: 'Check again', de: 'Noch einmal prüfen' },
  checking: { en: 'Everything is checked, each note too …', de: 'Alles wird geprüft, auch jede Notiz …' },
  findings: { en: 'Findings', de: 'Befunde' },
  allGood: { en: 'Everything is in order.', de: 'Alles ist in Ordnung.' },
  failedCount: {
    en: '{n} check failed | {n} checks failed',
    de: '{n} Prüfung fehlgeschlagen | {n} Prüfungen fehlgeschlagen',
  },
  warningCount: { en: '{n} thing to look at | {n} things to look at', de: '{n} Hinweis | {n} Hinweise' },
  okCount: {
    en: '{n} check passed | {n} checks passed',
    de: '{n} Prüfung bestanden | {n} Prüfungen bestanden',
  },
  failed: { en: 'Failed', de: 'Fehlgeschlagen' },
  warning: { en: 'Look at this', de: 'Hinweis' },
  ok: { en: 'Passed', de: 'Bestanden' },
  details: { en: 'Details', de: 'Einzelheiten' },
  lookAt: { en: 'Look at the source', de: 'Zur Quelle' },
  copied: { en: 'Copied', de: 'Kopiert' },
  done: { en: 'Done', de: 'Fertig' },

  'sources-refresh': { en: 'Read it now', de: 'Jetzt lesen' },
  'sources-refresh about': { en: 'Reads what has changed.', de: 'Liest, was sich geändert hat.' },
  'sources-resume': { en: 'Resume', de: 'Fortsetzen' },
  'sources-resume about': {
    en: 'It is refreshed automatically again.',
    de: 'Sie wird wieder von selbst gelesen.',
  },
  reindex: { en: 'Rebuild the index', de: 'Index neu aufbauen' },
  'reindex about': {
    en: 'Rebuilds passages, words and the graph from the records, which do not change. Searches work meanwhile.',
    de: 'Baut Passagen, Wörter und den Graphen aus den Einträgen neu auf. Diese ändern sich nicht, und Suchen gehen weiter.',
  },
  reindexVectors: { en: 'Rebuild everything …', de: 'Alles neu aufbauen …' },
  'reindexVectors about': {
    en: 'The same, and every text is embedded again. This takes long, and costs money with a paid provider. Keep this page open: until it is done, searches find by words alone what has no vector yet.',
    de: 'Dasselbe, und für jeden Text wird der Vektor neu berechnet. Das dauert lange, und kostet bei einem bezahlten Anbieter Geld. Lassen Sie diese Seite offen: Bis dahin wird nur über Wörter gefunden, was noch keinen Vektor hat.',
  },
  reindexVectorsTitle: { en: 'Embed everything again?', de: 'Alle Vektoren neu berechnen?' },
  'embed-backfill': { en: 'Embed what is missing', de: 'Fehlende Vektoren berechnen' },
  'embed-backfill about': {
    en: 'Makes vectors for texts that have none, so that they are also found by meaning. It can be stopped and goes on later.',
    de: 'Berechnet Vektoren für Texte, die keinen haben, damit sie auch nach Bedeutung gefunden werden. Es lässt sich anhalten und geht später weiter.',
  },
  start: { en: 'Start', de: 'Starten' },

  holds: { en: 'What it holds', de: 'Was gespeichert ist' },
  records: { en: 'Records', de: 'Einträge' },
  passages: { en: 'Passages', de: 'Passagen' },
  words: { en: 'Distinct words', de: 'Verschiedene Wörter' },
  store: { en: 'Store', de: 'Speicher' },
  onDisk: {
    en: '{size} on disk, all memories together',
    de: '{size} auf der Platte, alle Gedächtnisse zusammen',
  },
  vault: { en: 'Notes', de: 'Notizen' },
  memory: { en: 'Memories', de: 'Erinnerungen' },
  fact: { en: 'Facts', de: 'Fakten' },
  source: { en: 'Documents of sources', de: 'Dokumente aus Quellen' },
  audit: { en: 'Audit entries', de: 'Protokolleinträge' },

  embedding: { en: 'Search by meaning', de: 'Suche nach Bedeutung' },
  noModel: {
    en: 'No model is set. Searches use words and spelling.',
    de: 'Es ist kein Modell eingestellt. Suchen verwenden Wörter und Schreibung.',
  },
  model: { en: 'Model', de: 'Modell' },
  noVectors: { en: 'none yet', de: 'noch keines' },
  embedded: { en: 'Embedded', de: 'Mit Vektor' },
  embeddedOf: { en: '{done} of {total} texts', de: '{done} von {total} Texten' },
  backlog: { en: 'Waiting', de: 'Warten' },
  backlogNone: { en: 'nothing', de: 'nichts' },
  backlogTexts: { en: '{n} text | {n} texts', de: '{n} Text | {n} Texte' },
  runningIn: { en: '{process} embeds now', de: '{process} rechnet gerade' },
  left: { en: 'about {time} left', de: 'noch etwa {time}' },
  otherLanguages: {
    en: '{percent} of the newest records are in languages that this model does not know. They are found by words.',
    de: '{percent} der neuesten Einträge sind in Sprachen, die dieses Modell nicht kennt. Sie werden über ihre Wörter gefunden.',
  },
  changing: {
    en: 'The settings name another model: {model}',
    de: 'Die Einstellungen nennen ein anderes Modell: {model}',
  },
  changeProgress: {
    en: '{done} of {total} texts have a vector of it. Searches use {from} until you switch.',
    de: '{done} von {total} Texten haben einen Vektor davon. Suchen verwenden {from}, bis Sie wechseln.',
  },

  care: { en: 'Care', de: 'Pflege' },
} as const satisfies Texts;
