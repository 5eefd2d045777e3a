import path from 'node:path';
import { typoDistance } from '../../../core/text/closest-word.ts';
import type { EngineContext } from '../../context.ts';
import { storedEntries } from '../../../ingest/source-entries.ts';

const MAX_NOTES = 3;

interface NearNote {
  readonly id: number;
  readonly source: string;
  readonly key: string;
  /** 0 for the same path in another case. */
  readonly distance: number;
}

/**
 * Suggests up to three notes for a name that has no record, the most likely first: the path in another
 * case, a path that ends with the name (as of the link `[[Oven]]`), a similar path. Reads the paths of all notes.
 * @param excludedSources the notes of these vaults are not suggested
 */
export async function nearNotes(
  context: EngineContext,
  name: string,
  excludedSources: readonly string[] = [],
): Promise<NearNote[]> {
  const { store, namespace, now } = context;
  const forms = formsOf(name);
  const candidates: NearNote[] = [];
  const sources = await store.records.facet(namespace, 'source', { now: now(), origins: ['vault'] });
  for (const { value: source } of sources) {
    if (excludedSources.includes(source)) continue;
    for await (const { id, key } of storedEntries(store.records, namespace, source)) {
      const distance = Math.min(...forms.map((form) => distanceOf(form, key)));
      if (distance < Infinity) candidates.push({ id, source, key, distance });
    }
  }
  candidates.sort(
    (a, b) => a.distance - b.distance || a.key.length - b.key.length || (a.key < b.key ? -1 : 1),
  );
  return candidates.slice(0, MAX_NOTES);
}

/** The name with and without a link's brackets, heading and alias, and without a source before a colon. */
function formsOf(name: string): string[] {
  const bare = name.replace(/^!?\[\[/, '').replace(/\]\]$/, '');
  const forms = [bare, bare.replace(/[#|].*$/s, ''), bare.replace(/^[^:]*:/, '')];
  return [...new Set(forms.map((form) => folded(form.trim().replace(/^[./]+/, ''))))].filter(
    (form) => form !== '' && !/^(record\/)?-?\d+$/.test(form),
  );
}

function folded(key: string): string {
  return key.toLowerCase().replace(/\.(md|markdown)$/, '');
}

/** Infinity for a path that the name is not likely to mean. */
function distanceOf(form: string, key: string): number {
  const whole = folded(key);
  if (whole === form) return 0;
  if (whole.endsWith(`/${form}`)) return 1;
  const edits = Math.min(
    editsOf(form, whole),
    editsOf(path.posix.basename(form), path.posix.basename(whole)),
  );
  return edits + 2;
}

/** Infinity when half of the shorter name would have to change: that is another name. */
function editsOf(requested: string, existing: string): number {
  const edits = typoDistance(requested, existing);
  return edits === null || edits * 2 >= Math.min(requested.length, existing.length) ? Infinity : edits;
}
