import type { LociRecord } from '../core/types.ts';
import { LinkIndex } from '../sources/markdown/link-index.ts';
import type { SourceEntry } from '../store/store.ts';
import type { EngineContext } from './context.ts';

/** A note that another links to or embeds. */
export interface NoteLink {
  /** As written, without heading, block and alias. */
  readonly target: string;
  /** The note that is meant, as Obsidian would open it; `null` when there is none. */
  readonly path: string | null;
}

const PAGE = 1000;

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
  const index = new LinkIndex(await keysOf(context, record.source));
  return [...targets].map((target) => ({ target, path: index.resolve(target, key) }));
}

async function keysOf({ store, config }: EngineContext, source: string): Promise<string[]> {
  const keys: string[] = [];
  let after: string | null = null;
  for (;;) {
    const page: SourceEntry[] = await store.sourceEntries(config.namespace, source, { after, limit: PAGE });
    keys.push(...page.map(({ key }) => key));
    after = page.at(-1)?.key ?? null;
    if (page.length < PAGE) return keys;
  }
}
