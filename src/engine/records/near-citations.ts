import path from 'node:path';
import { typoDistance } from '../../core/text/closest-word.ts';
import type { EngineContext } from '../context.ts';
import { entriesOf } from '../sources/source-entries.ts';

const NAMED = 3;

interface Near {
  readonly source: string;
  readonly key: string;
  /** 0 for the same path in other letters; higher is farther. */
  readonly distance: number;
}

/**
 * Up to three notes of this namespace that a name which names nothing may mean, as citations, the likeliest first: its
 * path in other letters, a path that ends with it (a link's `[[Oven]]`), one that is spelt almost so. Looks at every
 * note's path.
 */
export async function nearCitations(context: EngineContext, name: string): Promise<string[]> {
  const { store, namespace, now } = context;
  const meant = formsOf(name);
  const near: Near[] = [];
  const sources = await store.facet(namespace, 'source', { now: now(), origins: ['vault'] });
  for (const { value: source } of sources) {
    for await (const { key } of entriesOf(context, source)) {
      const distance = Math.min(...meant.map((form) => distanceOf(form, key)));
      if (distance < Infinity) near.push({ source, key, distance });
    }
  }
  near.sort((a, b) => a.distance - b.distance || a.key.length - b.key.length || (a.key < b.key ? -1 : 1));
  const best = near.slice(0, NAMED);
  const keys = best.map(({ key }) => key);
  const counts = await store.countByKey(namespace, keys, now());
  return best.map(({ source, key }, i) => ((counts[i] ?? 0) > 1 ? `${source}:${key}` : key));
}

/** A link's brackets, heading and alias, and a source before a colon, may be no part of the path that is meant. */
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

/** Infinity when the one is not likely to mean the other. */
function distanceOf(form: string, key: string): number {
  const whole = folded(key);
  if (whole === form) return 0;
  if (whole.endsWith(`/${form}`)) return 1;
  const spelt = Math.min(
    editsOf(form, whole),
    editsOf(path.posix.basename(form), path.posix.basename(whole)),
  );
  return spelt + 2;
}

/** Of short names, two edits make another name. */
function editsOf(asked: string, held: string): number {
  const edits = typoDistance(asked, held);
  return edits === null || edits * 2 >= Math.min(asked.length, held.length) ? Infinity : edits;
}
