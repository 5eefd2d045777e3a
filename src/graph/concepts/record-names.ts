import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { runInGroups, type TaskRunner, type ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { LociRecord, Span } from '../../core/types.ts';
import type { ConceptMention, ConceptName, NameKind, RecordNames } from '../../store/concept-model.ts';
import {
  isMentionable,
  MAX_NAME_LENGTH,
  nameKey,
  MAX_CONCEPT_WORDS,
  BREAK,
  visitNameWords,
  type NameWord,
} from '../../core/names/name.ts';
import { writtenNames } from '../../store/rules/mention-names.ts';
import { isOwnName, wordsOfTag } from './concepts.ts';
import { recordNodeId, type IdentifiedRecord } from '../model.ts';
import { phrasesIn } from '../../core/names/phrases.ts';
import { detectSecrets } from '../../secrets/detect.ts';

/** Changes whenever the same record gives other names or mentions, so that stored ones are derived again. */
export const CONCEPT_RULES = '7';

/** A note with hundreds of aliases would otherwise be mentioned by every other. */
const MAX_ALIASES = 32;
const MAX_TAGS = 64;
/** A text that mentions more names is a list of them. */
const MAX_MENTIONS = 200;

type RecordText = Pick<LociRecord, 'origin' | 'content'>;
type NamedRecord = Pick<LociRecord, 'origin' | 'key' | 'title' | 'tags' | 'metadata' | 'content'>;

async function namesOf(record: NamedRecord): Promise<ConceptName[]> {
  const { origin, key, title, tags, content } = record;
  const isNote = origin === 'vault' && key !== null;
  const aliases = isNote ? [...new Set(writtenNames(record))].filter((name) => name !== title) : [];
  const credentials = await credentialsIn(content);
  const someAliases = aliases.slice(0, MAX_ALIASES);
  const names = [
    ...named('title', isNote ? [title] : []),
    ...named('alias', await withoutCredentials(someAliases, credentials)),
    ...named('tag', await withoutCredentials(tags.slice(0, MAX_TAGS), credentials)),
    ...phraseNames({ origin, content }, credentials),
  ];
  // A name counts once, by its most certain kind. The titles and aliases stay apart from tags and phrases of other records.
  const first = new Map<string, ConceptName>();
  for (const name of names) if (!first.has(name.key)) first.set(name.key, name);
  return [...first.values()];
}

/** The fields of a record on which its names depend. */
type NamingRecord = NamedRecord & IdentifiedRecord & Pick<LociRecord, 'project'>;

/**
 * The names that each record offers: the title, file name and aliases of a note, tags, and phrases of the text; but no credential, except
 * in a title, which is masked where it is shown.
 * @public A thread finds it by its name.
 */
export async function readNames(records: readonly NamingRecord[]): Promise<RecordNames[]> {
  const read: RecordNames[] = [];
  for (const record of records) {
    const { origin, key, project } = record;
    const note = origin === 'vault' && key !== null ? recordNodeId(record, false) : null;
    read.push({ project, note, names: await namesOf(record) });
  }
  return read;
}

const RECORD_NAMES: ThreadTask<[records: readonly NamingRecord[]], RecordNames[]> = {
  module: workerModule(import.meta.url, 'record-names'),
  name: readNames.name,
  inline: readNames,
};

/** `readNames` in a thread, unless the texts are short. */
export function namesOfRecords(
  options: { readonly thread: TaskRunner; readonly signal?: AbortSignal },
  records: readonly LociRecord[],
): Promise<RecordNames[]> {
  return runInGroups(options, RECORD_NAMES, records, lengthOf);
}

export function lengthOf({ content }: Pick<LociRecord, 'content'>): number {
  return content.length;
}

function named(kind: NameKind, texts: readonly string[]): ConceptName[] {
  return texts.flatMap((text) => {
    const key = nameKey(kind === 'tag' ? wordsOfTag(text) : text);
    return isMentionable(key) ? [{ key, text: text.trim().slice(0, MAX_NAME_LENGTH), kind, line: null }] : [];
  });
}

/** The text without the front matter of a note, whose lines are empty instead. It has properties, not sentences. */
function bodyOf({ origin, content }: RecordText): string {
  const start = origin === 'vault' ? (frontMatterSpan(content)?.bodyStart ?? 0) : 0;
  return content.slice(0, start).replace(/[^\n]+/g, '') + content.slice(start);
}

function phraseNames(record: RecordText, credentials: Credentials): ConceptName[] {
  const body = bodyOf(record);
  // The front matter, which is before all phrases, is shorter in the body.
  const shift = record.content.length - body.length;
  const spans = credentials.spans.map(({ start, end }) => ({ start: start - shift, end: end - shift }));
  const phrases = phrasesIn(body, spans, (text, key) => hasCredential(text, key, credentials));
  let line = 1;
  let offset = 0;
  return phrases.map(({ text, start, kind }) => {
    for (let end = body.indexOf('\n', offset); end >= 0 && end < start; end = body.indexOf('\n', offset)) {
      line++;
      offset = end + 1;
    }
    return { key: nameKey(text), text, kind, line };
  });
}

/** A text in which names are found. */
export interface NamedText extends RecordText {
  /** Names of the record itself. */
  readonly own: readonly ConceptName[];
}

/**
 * The names of other records in each text, in the order of the text.
 * @param keys names to find
 * @public A thread finds it by its name.
 */
export function findMentions(texts: readonly NamedText[], keys: readonly string[]): ConceptMention[][] {
  const names = new NameTrie(keys);
  return texts.map((text) => {
    const ownKeys = new Set(text.own.filter(isOwnName).map(({ key }) => key));
    const mentions = new Map<string, ConceptMention>();
    names.find(bodyOf(text), ({ key, line }) => {
      const earlier = mentions.get(key);
      if (earlier !== undefined) mentions.set(key, { ...earlier, count: earlier.count + 1 });
      else if (mentions.size < MAX_MENTIONS && !ownKeys.has(key)) mentions.set(key, { key, line, count: 1 });
    });
    return [...mentions.values()];
  });
}

export const RECORD_MENTIONS: ThreadTask<
  [texts: readonly NamedText[], keys: readonly string[]],
  ConceptMention[][]
> = {
  module: workerModule(import.meta.url, 'record-names'),
  name: findMentions.name,
  inline: findMentions,
};

/**
 * The words of which names in these texts may consist, each once.
 * @public A thread finds it by its name.
 */
export function wordsOfTexts(texts: readonly RecordText[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    visitNameWords(bodyOf(text), ({ word }) => {
      if (word !== BREAK) words.add(word);
    });
  return [...words];
}

export const RECORD_WORDS: ThreadTask<[texts: readonly RecordText[]], string[]> = {
  module: workerModule(import.meta.url, 'record-names'),
  name: wordsOfTexts.name,
  inline: wordsOfTexts,
};

/** The credentials in the text of a record. A name with one would be shown without the words by which it is detected. */
interface Credentials {
  /** In order and without overlaps. */
  readonly spans: readonly Span[];
  /** As names are compared, so that another way to write one is found too. */
  readonly keys: ReadonlySet<string>;
  /** The most words that one has. */
  readonly maxWords: number;
  /** Those without words, as written. */
  readonly wordless: readonly string[];
}

async function credentialsIn(text: string): Promise<Credentials> {
  const spans = await detectSecrets(text);
  const values = spans
    .filter(({ start, end }) => end - start <= MAX_NAME_LENGTH)
    .map(({ start, end }) => text.slice(start, end));
  const keys = new Set(values.map(nameKey));
  keys.delete('');
  const wordless = [...new Set(values.filter((value) => nameKey(value) === ''))];
  const maxWords = [...keys].reduce((most, key) => Math.max(most, key.split(' ').length), 0);
  return { spans, keys, maxWords, wordless };
}

/** Whether a name has one of the credentials. */
function hasCredential(name: string, key: string, { keys, maxWords, wordless }: Credentials): boolean {
  if (wordless.some((value) => name.includes(value))) return true;
  const words = maxWords === 0 ? [] : key.split(' ');
  return words.some((_, first) =>
    words
      .slice(first, first + maxWords)
      .some((__, length) => keys.has(words.slice(first, first + length + 1).join(' '))),
  );
}

/** Names of the properties, such as aliases, without those that have a credential of the text or are one themselves. */
async function withoutCredentials(names: readonly string[], credentials: Credentials): Promise<string[]> {
  const kept = await Promise.all(
    names.map(
      async (name) =>
        !hasCredential(name, nameKey(name), credentials) && (await detectSecrets(name)).length === 0,
    ),
  );
  return names.filter((_, i) => kept[i]);
}

/** A name that was found in a text. */
export interface NameMatch extends Span {
  /** The key of the name. */
  readonly key: string;
  /** Line of the first word, from 1. */
  readonly line: number;
}

interface TrieNode {
  /** Most nodes are leaves, which have none. */
  next: Map<string, TrieNode> | null;
  /** The name that ends here. */
  key: string | null;
}

/** A name may have breaks between its words. */
const MAX_PATTERN_WORDS = 2 * MAX_CONCEPT_WORDS;

/**
 * Finds many names in a text at once. Its letters are words, so that a name is found at word boundaries only; in Chinese,
 * Japanese and Korean each character is a word. The time is in proportion to the text, whatever the number of names.
 */
export class NameTrie {
  readonly #root: TrieNode = { next: null, key: null };

  /** @param keys of names, as `nameKey` makes them; those that are too long or empty are left out */
  constructor(keys: Iterable<string>) {
    for (const key of keys) {
      const words = key.split(' ');
      if (key === '' || words.length > MAX_PATTERN_WORDS) continue;
      let node = this.#root;
      for (const word of words) node = nextNode(node, word);
      node.key = key;
    }
  }

  /** Calls `visit` for every match that is not within a longer one, in the order of the text. */
  find(text: string, visit: (match: NameMatch) => void): void {
    if (this.#root.next === null) return;
    const words: NameWord[] = [];
    visitNameWords(text, (word) => {
      words.push(word);
    });
    // Matches begin one after another, so that one is within an earlier one if it does not end after it.
    let matched = 0;
    for (const [first, { start, line }] of words.entries()) {
      let node: TrieNode | undefined = this.#root;
      let longest: { readonly key: string; readonly last: number } | null = null;
      for (let last = first; last < words.length; last++) {
        node = node.next?.get(words[last]!.word);
        if (node === undefined) break;
        if (node.key !== null) longest = { key: node.key, last };
      }
      if (longest === null || longest.last < matched) continue;
      matched = longest.last + 1;
      visit({ key: longest.key, start, end: words[longest.last]!.end, line });
    }
  }
}

/** The node after a node and a word, which is added unless it is there. */
function nextNode(node: TrieNode, word: string): TrieNode {
  node.next ??= new Map();
  const known = node.next.get(word);
  if (known !== undefined) return known;
  const next: TrieNode = { next: null, key: null };
  node.next.set(word, next);
  return next;
}
