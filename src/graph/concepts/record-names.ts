import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { runInGroups, type TaskRunner, type ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { LociRecord } from '../../core/types.ts';
import type { ConceptMention, ConceptName, NameKind, RecordNames } from '../../store/concept-model.ts';
import { type Credentials, credentialsIn, hasCredential, withoutCredentials } from './credentials.ts';
import { BREAK, isMentionable, MAX_NAME_LENGTH, nameKey, visitNameWords } from '../../core/names/name.ts';
import { writtenNames } from '../../store/rules/mention-names.ts';
import { isClaim } from './concepts.ts';
import { NameTrie } from './name-trie.ts';
import { recordNodeId, type IdentifiedRecord } from '../model.ts';
import { phrasesIn } from '../../core/names/phrases.ts';

/** Changes whenever the same record gives other names or mentions, so that stored ones are derived again. */
export const CONCEPT_RULES = '6';

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
    ...named('tag', (await withoutCredentials(tags.slice(0, MAX_TAGS), credentials)).map(lastPart)),
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

/** `oven` of the tag `kitchen/oven`. */
function lastPart(tag: string): string {
  return tag.slice(tag.lastIndexOf('/') + 1).replaceAll(/[-_]+/g, ' ');
}

function named(kind: NameKind, texts: readonly string[]): ConceptName[] {
  return texts.flatMap((text) => {
    const key = nameKey(text);
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
  return mentionsIn(texts, new NameTrie(keys));
}

/** The names that this thread keeps during a pass over all records, by project. */
const kept = { pass: '', names: new Map<string, NameTrie>() };

/**
 * `findMentions` of the names that an earlier call of the same pass and project has brought; nothing if there was none.
 * @param keys names to keep for the next calls
 * @public A thread finds it by its name.
 */
export function findInPass(
  texts: readonly NamedText[],
  pass: string,
  project: string,
  keys: readonly string[] | null,
): ConceptMention[][] {
  if (kept.pass !== pass) {
    kept.pass = pass;
    kept.names.clear();
  }
  if (keys !== null) kept.names.set(project, new NameTrie(keys));
  const names = kept.names.get(project);
  return names === undefined ? [] : mentionsIn(texts, names);
}

export const PASS_MENTIONS: ThreadTask<
  [texts: readonly NamedText[], pass: string, project: string, keys: readonly string[] | null],
  ConceptMention[][]
> = {
  module: workerModule(import.meta.url, 'record-names'),
  name: findInPass.name,
  inline: findInPass,
};

function mentionsIn(texts: readonly NamedText[], names: NameTrie): ConceptMention[][] {
  return texts.map((text) => {
    const ownKeys = new Set(text.own.filter(isClaim).map(({ key }) => key));
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
