import type { LociRecord } from '../../core/types.ts';
import { linkNameOfKey } from './link-index.ts';

/** The names of a note, folded, each once: its title, its aliases, and the name of its file. Other records have none. */
export function noteNames({
  origin,
  key,
  title,
  metadata,
}: Pick<LociRecord, 'origin' | 'key' | 'title' | 'metadata'>): string[] {
  if (origin !== 'vault' || key === null) return [];
  const { aliases } = metadata;
  const written = [title, ...(Array.isArray(aliases) ? aliases : [])].filter(
    (name) => typeof name === 'string',
  );
  const names = new Set([...written, linkNameOfKey(key)].map(foldNoteName));
  return [...names].filter((name) => name !== '');
}

/** The form in which names of notes are compared: lower case, with composed characters. */
export function foldNoteName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
