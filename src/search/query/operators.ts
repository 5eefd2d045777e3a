import type { SearchFilter, TextTerm } from '../../store/search-model.ts';
import { parseQuery } from './parse.ts';

/** A query without its operators, and what they ask for. */
export interface OperatorQuery {
  /** The words that are left: the query itself if it has no operators. */
  readonly text: string;
  /** What `path:`, `file:` and `tag:` ask for. */
  readonly filter: Required<Pick<SearchFilter, 'tags' | 'excludedTags' | 'paths' | 'excludedPaths'>>;
  /** Words and phrases that no result may have. */
  readonly excluded: readonly TextTerm[];
  /** Says which parts are operators elsewhere, and were searched for as words. */
  readonly notices: readonly string[];
}

/** A longer text is a document or a prompt, which has no operators. UTF-16 code units. */
const MAX_LENGTH = 500;
/** Operators of a query; the others are words. */
const MAX_OPERATORS = 32;

const QUOTED = '"[^"]+"|“[^”]+”|「[^」]+」';
/** Operators that Obsidian or others have and Loci has not, properties, alternatives, groups and regular expressions. */
const UNSUPPORTED = [
  '-?(?:section|block|line|content|match-case|ignore-case|task(?:-todo|-done)?):(?:\\([^()]*\\)|[^\\s(]\\S*)',
  '-?(?:in)?(?:title|url|text):[^\\s/]\\S*',
  '-?(?:from|to|subject|author|site|filetype|ext|before|after|since|until|has|is):[^\\s/]\\S*',
  '-?(?:path|file|tag):\\([^()]*\\)',
  '-?\\[\\p{L}[^\\[\\]:]*:[^\\[\\]]*\\](?!\\()',
  '-?\\([^()\\s]+\\s[^()]*\\)',
  '-?/(?:[^/\\s\\\\]|\\\\\\S)+/(?!\\S)',
  '(?<=\\S\\s+)(?:OR|AND)(?=\\s+\\S)',
  'NOT(?=\\s+\\S)',
].join('|');
/** A phrase; else what begins after a space: what is not supported, or `-`, the name of an operator, and a value. */
const PARTS = new RegExp(
  `${QUOTED}|(?<!\\S)(?:(?<unsupported>${UNSUPPORTED})|(?<not>-?)(?:(?<name>path|file|tag):)?(?:(?<phrase>${QUOTED})(?!\\S)|(?<value>[^\\s"“”「」]+)(?!\\S)))`,
  'gu',
);
/** A letter alone is an option of a command, unless it is a word in its script: `git commit -m`. */
const WORD = /^(?:\p{L}.*[\p{L}\p{M}\p{N}+#]|\p{Lo})/u;
/** What a sentence may have after a value. No tag has it at its end. */
const [PATH_END, TAG_END] = [/[,;]+$/, /[.,;:!?)]+$/];
const HAS_NAME = /[^\s*?/\\#.,;:!()-]/u;

/**
 * Reads `path:`, `file:`, `tag:`, and `-` before one of these, a word or a phrase: operators of Obsidian. An operator begins the text
 * or follows a space, and has its value at once, so that times, addresses, lists and dashes stay words.
 */
export function readOperators(query: string): OperatorQuery {
  const filter = { tags: [], excludedTags: [], paths: [], excludedPaths: [] } as Record<
    keyof OperatorQuery['filter'],
    string[]
  >;
  const excluded: TextTerm[] = [];
  const words: string[] = [];
  const kept: string[] = [];
  let [from, count] = [0, 0];
  for (const match of query.length > MAX_LENGTH ? [] : query.matchAll(PARTS)) {
    const { unsupported, not, name, phrase, ...rest } = match.groups as Partial<Record<string, string>>;
    const value = phrase?.slice(1, -1) ?? rest['value'] ?? '';
    if (unsupported !== undefined) words.push(unsupported);
    const isOperator = name === undefined ? not === '-' && isWord(phrase, value) : isValue(name, value);
    if (unsupported !== undefined || !isOperator || count === MAX_OPERATORS) continue;
    count++;
    if (name === undefined) excluded.push(...termsOf(value, phrase !== undefined));
    else if (name === 'tag') filter[not === '-' ? 'excludedTags' : 'tags'].push(tagOf(value));
    else filter[not === '-' ? 'excludedPaths' : 'paths'].push(globOf(name, value));
    kept.push(query.slice(from, match.index));
    from = match.index + match[0].length;
  }
  const notices = words.length === 0 ? [] : [notice(words)];
  const left = [...kept, query.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
  const text = count === 0 ? query : left.join(' ');
  return { text, filter, excluded, notices };
}

function notice(words: readonly string[]): string {
  const parts = words.map((each) => `\`${each}\``).join(', ');
  return `searched for ${parts} as plain words: the operators of a query are path:, file:, tag:, - and quotes`;
}

function isWord(phrase: string | undefined, value: string): boolean {
  return phrase === undefined ? WORD.test(value) : HAS_NAME.test(value);
}

function isValue(name: string, value: string): boolean {
  return HAS_NAME.test(value) && !(name === 'file' && value.startsWith('//'));
}

/** Of paths, or names of files, that contain the value. */
function globOf(name: string, value: string): string {
  const part = value.replace(PATH_END, '');
  // `**` would cross folders.
  return name === 'path' ? `**${part}**` : `*${part}*`.replaceAll(/\*+/g, '*');
}

function tagOf(value: string): string {
  return value.replace(/^#/, '').replace(TAG_END, '').replace(/\/+$/, '');
}

/** A word in each way in which texts write it; several words, such as those of an identifier, as a phrase. */
function termsOf(text: string, isPhrase: boolean): readonly TextTerm[] {
  const [first, ...others] = isPhrase ? [] : parseQuery(text).terms;
  if (first !== undefined && (first.kind === 'identifier' || others.length === 0))
    return [first, ...(first.alternatives ?? [])].map(({ terms, prefix }) => ({ terms, prefix }));
  return parseQuery(`"${text}"`).phrases;
}
