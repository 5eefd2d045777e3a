import type { LociRecord } from '../../core/types.ts';
import { LinkIndex } from '../../sources/markdown/link-index.ts';
import type { EngineContext } from '../context.ts';
import { entriesOf } from '../sources/source-entries.ts';

/** A note that another links to or embeds. */
export interface NoteLink {
  /** As written, without heading, block and alias. */
  readonly target: string;
  /** The note that is meant, as Obsidian would open it; `null` when there is none. */
  readonly path: string | null;
}

/** What a note links to, each target once, resolved among the notes that its vault has now. */
export async function linksOf(context: EngineContext, record: LociRecord): Promise<NoteLink[]> {
  const { links } = record.metadata;
  const { key } = record;
  if (key === null || !Array.isArray(links) || links.length === 0) return [];
  const targets = new Set<string>();
  for (const link of links) {
    if (typeof link !== 'object' || link === null || Array.isArray(link)) continue;
    if (typeof link['target'] === 'string' && link['target'] !== '') targets.add(link['target']);
  }
  const keys: string[] = [];
  for await (const entry of entriesOf(context, record.source)) keys.push(entry.key);
  const index = new LinkIndex(keys);
  return [...targets].map((target) => ({ target, path: index.resolve(target, key) }));
}
