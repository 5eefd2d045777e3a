import type { Texts } from '../text.ts';

/** What is shown while something takes long. */
export const TASK = {
  started: { en: 'Working …', de: 'Läuft …' },
  reading: { en: 'Reading', de: 'Liest' },
  deriving: { en: 'Rebuilding', de: 'Baut neu auf' },
  relating: { en: 'Connecting records', de: 'Verbindet Einträge' },
  embedding: { en: 'Embedding', de: 'Berechnet Vektoren' },
  waiting: { en: 'Waiting for', de: 'Wartet auf' },
  checking: { en: 'Checking', de: 'Prüft' },
  copying: { en: 'Copying', de: 'Kopiert' },
  count: { en: '{done} of {total}', de: '{done} von {total}' },
  progress: { en: 'Progress', de: 'Fortschritt' },
  stop: { en: 'Stop', de: 'Anhalten' },
} as const satisfies Texts;
