import type { Texts } from './text.ts';

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
