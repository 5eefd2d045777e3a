// A retrieval adapter in one file. It keeps no index: each recall reads the notes and counts the words of the query.

import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

const TIERS = ['hot', 'warm', 'cold'];
const MAX_NOTE_BYTES = 1_000_000;

export class WordsAdapter {
  id = 'words';
  capabilities = { semantic: false, keyword: true };
  #pools = [];
  #vaultRoot = process.cwd();
  #roles;

  /** @param roles the roles of each agent, by its id */
  constructor({ roles = {} } = {}) {
    this.#roles = new Map(Object.entries(roles));
  }

  async init({ vaultRoot = process.cwd() }) {
    this.#vaultRoot = vaultRoot;
  }

  async registerPools(pools) {
    const ids = new Set();
    this.#pools = pools.map((pool) => {
      const { id, tier, path: given, roles = [], agents = [] } = pool;
      const folder = path.resolve(this.#vaultRoot, given);
      const isText = [id, given, ...roles, ...agents].every(
        (each) => typeof each === 'string' && each !== '',
      );
      const isAllowed = path.isAbsolute(given) || isWithin(this.#vaultRoot, folder);
      const isValid =
        Array.isArray(roles) && Array.isArray(agents) && isText && isAllowed && !given.includes('\0');
      if (!isValid || ids.has(id) || !TIERS.includes(tier)) throw new Error(`the pool ${id} is not valid`);
      ids.add(id);
      return { id, tier, folder, roles, agents };
    });
  }

  /** There is no index. */
  async indexPaths() {}

  async recall(query) {
    try {
      return await this.#find(query);
    } catch (error) {
      process.emitWarning(`The recall failed: ${error.message}`);
      return [];
    }
  }

  async #find({ agentId, query, limit = 10, poolIds, tiers = ['hot', 'warm'], filters = {}, mode }) {
    if (!(Number.isInteger(limit) && limit >= 0)) throw new Error('limit is not a whole number from 0');
    if (![tiers, poolIds ?? []].every(Array.isArray)) throw new Error('tiers or poolIds is no list');
    const words = [...new Set(wordsOf(query.slice(0, 10_000)))];
    const searched = this.#seenBy(agentId).filter(
      ({ id, tier }) => tiers.includes(tier) && poolIds?.includes(id) !== false,
    );
    if (mode === 'semantic' || words.length === 0 || searched.length === 0) return [];
    const roots = await this.#roots();
    const results = new Map();
    for (const pool of searched)
      for await (const file of notesOf(roots.get(pool), new Set(roots.values()))) {
        const text = await readNote(file);
        const score = text === null || !matches(frontMatterOf(text), filters) ? 0 : scoreOf(words, text);
        if (score > 0 && !results.has(file))
          results.set(file, resultOf(pool, roots.get(pool), { file, text, words, score }));
      }
    return [...results.values()].sort((a, b) => b.score - a.score).slice(0, limit);
  }

  #seenBy(agentId) {
    const own = this.#roles.get(agentId) ?? [];
    return this.#pools.filter(
      ({ roles, agents }) =>
        roles.length + agents.length === 0 ||
        agents.includes(agentId) ||
        roles.some((role) => own.includes(role)),
    );
  }

  /** The real folder of each pool. A pool whose folder does not exist has none. */
  async #roots() {
    const roots = new Map();
    for (const pool of this.#pools) roots.set(pool, await realpath(pool.folder).catch(() => null));
    return roots;
  }
}

function isWithin(folder, file) {
  const relative = path.relative(folder, file);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** Files below a folder, without links, hidden ones, and those that belong to another pool. A file may vanish meanwhile. */
async function* notesOf(folder, otherRoots) {
  if (folder === null) return;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory() && !otherRoots.has(file)) yield* notesOf(file, otherRoots);
    if (entry.isFile() && /\.(md|txt)$/i.test(entry.name)) yield file;
  }
}

async function readNote(file) {
  const bytes = await readFile(file).catch(() => null);
  return bytes === null || bytes.length > MAX_NOTE_BYTES ? null : bytes.toString('utf8');
}

/** Words in lower case. Scripts without spaces have a word for each character. */
function wordsOf(text) {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The properties of the front matter: `key: value`, `key: [a, b]`, or a list of lines with `- `. Values are texts or lists of texts. */
function frontMatterOf(text) {
  const properties = new Map();
  let list = [];
  for (const line of /^---\n(.*?)\n---\n/s.exec(text)?.[1].split('\n') ?? []) {
    const [, entry] = /^\s*-\s+(.*)$/.exec(line) ?? [];
    const [, key, value = ''] = /^([^\s:]+):\s*(.*)$/.exec(line) ?? [];
    if (entry !== undefined) list.push(unquoted(entry));
    if (key === undefined) continue;
    list = /^\[(.*)\]$/.exec(value)?.[1].split(',').map(unquoted) ?? [];
    properties.set(key, value === '' || list.length > 0 ? list : unquoted(value));
  }
  return properties;
}

function unquoted(value) {
  return value.trim().replace(/^(["'])(.*)\1$/, '$2');
}

function matches(properties, filters) {
  return Object.entries(filters).every(([key, wanted]) =>
    [properties.get(key)].flat().some((value) => [wanted].flat().includes(value)),
  );
}

/** How often the words are in the text, where another word counts more than the same again, and a long text less. */
function scoreOf(words, text) {
  const found = wordsOf(text);
  const counts = words.map((word) => found.filter((each) => each === word).length);
  return counts.reduce((sum, count) => sum + count / (count + 0.5 + found.length / 100), 0);
}

function resultOf({ id, tier }, root, { file, text, words, score }) {
  const lines = text.split('\n');
  const frontMatter = Object.fromEntries(frontMatterOf(text));
  const at = lines.findLastIndex((line) => wordsOf(line).some((word) => words.includes(word)));
  const position = Math.max(0, lines[at].toLowerCase().indexOf(words[0]) - 100);
  return {
    id: file,
    uri: `${file}#L${at + 1}`,
    score,
    snippet: lines[at].slice(position, position + 300),
    metadata: {
      ...frontMatter,
      pool: id,
      tier,
      path: path.relative(root, file),
      title: frontMatter.title ?? path.parse(file).name,
    },
  };
}
