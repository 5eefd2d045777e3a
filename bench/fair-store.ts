import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSets } from '../eval/find-sets.ts';
import { loadSet } from '../eval/sets.ts';
import { loadConfig } from '../src/config/load.ts';
import { openEngine } from '../src/engine/open.ts';
import { indexVaults } from '../src/engine/reading/index-vaults.ts';

export interface FairNote {
  readonly title: string;
  readonly text: string;
}

/** A store in which two tenants have notes: one many, the other fewer. */
export interface FairStore {
  readonly path: string;
  readonly notes: Readonly<Record<Tenant, readonly FairNote[]>>;
}

const TENANTS = ['crowd', 'victim'] as const;
export type Tenant = (typeof TENANTS)[number];

const NOTES = { crowd: 6500, victim: 2000 } as const;
const TAGS = ['project/oven', 'project/garden', 'reading', 'film', 'flow', 'heat', 'music', 'city'];
const FOLDERS = 12;
const CACHE = fileURLToPath(new URL('../.cache/bench', import.meta.url));

/**
 * A store with the texts of the evaluation's sets as notes with links and tags. It has no embeddings, unless `provider` is
 * `local`. It stays in the cache until the folder is removed.
 */
export async function fairStore(provider: 'none' | 'local'): Promise<FairStore> {
  const folder = join(CACHE, `fair-${provider}`);
  const notes = { crowd: makeNotes(NOTES.crowd), victim: makeNotes(NOTES.victim) };
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    for (const tenant of TENANTS) await index(partial, tenant, notes[tenant], provider);
    renameSync(partial, folder);
  }
  return { path: join(folder, 'loci.db'), notes };
}

async function index(
  home: string,
  tenant: Tenant,
  notes: readonly FairNote[],
  provider: string,
): Promise<void> {
  for (const [i, { title, text }] of notes.entries()) {
    const path = join(home, tenant, `topic ${String(i % FOLDERS)}`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `${title}.md`), text);
  }
  const settings = { namespace: tenant, embedding: { provider }, vaults: [{ path: join(home, tenant) }] };
  writeFileSync(join(home, 'loci.yaml'), JSON.stringify(settings));
  const loci = await openEngine((await loadConfig({ home, env: {} })).values);
  await indexVaults(loci);
  await loci.close();
}

/** Each note has the texts of two documents, links to four other notes, and one or two tags. */
function makeNotes(count: number): FairNote[] {
  const texts = new Map<string, string>();
  for (const file of findSets().filter((name) => /obsidian_en|musique|hotpot100|cranfield/.test(name)))
    for (const { docs } of loadSet(file).collections)
      for (const { title = '', text } of docs) {
        const name = title
          .replace(/[^\p{L}\p{N} ]/gu, ' ')
          .replace(/ +/g, ' ')
          .trim()
          .slice(0, 80);
        if (name !== '' && !texts.has(name.toLowerCase())) texts.set(name.toLowerCase(), `${name}\n${text}`);
      }
  const documents = [...texts.values()].slice(0, count).map((document) => {
    const [title = '', ...lines] = document.split('\n');
    return { title, text: lines.join('\n') };
  });
  const titleOf = (i: number): string => documents[i % documents.length]!.title;
  return documents.map(({ title, text }, i) => {
    const links = [i * 7 + 1, i * 13 + 5, i + 1, i % 40].map((other) => `- [[${titleOf(other)}]]`).join('\n');
    const tags = [TAGS[i % TAGS.length]!, ...(i % 60 === 0 ? ['rare'] : [])].join(', ');
    const other = documents[(i * 31 + 17) % documents.length]!.text;
    return {
      title,
      text: `---\ntags: [${tags}]\n---\n\n${text}\n\n## Links\n\n${links}\n\n## More about ${titleOf(i * 31 + 17)}\n\n${other}\n`,
    };
  });
}
