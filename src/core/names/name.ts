import { fold } from '../text/analyze.ts';
import { isFunctionWordOf, languagesOf } from '../text/language/language.ts';
import { isStopWord } from '../text/stop-words.ts';
import type { Span } from '../types.ts';

/**
 * A word of a name or of a text in which names are searched: a run of letters and digits, folded, or a single character
 * of Chinese, Japanese or Korean, which do not separate words by spaces.
 */
export interface NameWord extends Span {
  /** The folded word, or `BREAK` for the end of a phrase. */
  readonly word: string;
  /** Line of the text, from 1. */
  readonly line: number;
}

/**
 * Stands between words that are not of one phrase, such as the last word of a sentence and the first of the next. Names
 * have it too: "Berlin, Germany" is found with the comma only.
 */
export const BREAK = '|';

/**
 * Links of notes and web addresses, which are no mention of what they contain, and words. The lengths are limited, because
 * every unclosed `[[` is otherwise read to the end of its line.
 */
const TOKEN = /\[\[[^[\]\n]{1,500}\]\]|https?:\/\/[^\s<>"]+|[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
/** A character of these scripts with its combining marks, or a run of others. */
const CJK_OR_RUN =
  /[\u1100-\u115f\ua960-\ua97f][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆\uff70][\u3099\u309a\uff9e\uff9f\u11a8-\u11ff]*|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆\uff70]+/gu;
const POSSESSIVE = /['’]s$/i;
const APOSTROPHE_OR_SPACE = /['’\s]/g;
/** Emphasis of Markdown, which is not part of the text. */
const EMPHASIS = /[*_`~]+/g;
/** Spaces with at most one line break, or one or two other characters: "New York", "Node.js", "R&D". */
const JOINING_GAP = /^(?:[^\S\n]*\n?[^\S\n]*|[^\s()[\]{}<>|"“”„«»「」『』《》〈〉【】、，。；：！？]{1,2})$/u;
/** Longer words are truncated as in the text analyzer. */
const MAX_WORD_LENGTH = 64;

/** Calls `visit` for every word of a text in order, and for the breaks between them. Takes time in proportion to the text. */
export function visitNameWords(text: string, visit: (word: NameWord) => void): void {
  const position = new Position(text);
  let previousEnd = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const start = match.index;
    const end = start + token.length;
    const isBreak = previousEnd >= 0 && position.isBreak(previousEnd, start);
    const line = position.advance(start);
    if (token.startsWith('[[') || /^https?:\/\//.test(token)) {
      if (previousEnd >= 0) visit({ word: BREAK, start, end, line });
    } else {
      if (isBreak) visit({ word: BREAK, start: previousEnd, end: start, line });
      visitToken(token, start, line, visit);
    }
    previousEnd = end;
  }
}

function visitToken(token: string, start: number, line: number, visit: (word: NameWord) => void): void {
  if (!CJK.test(token)) {
    const word = foldWord(token.replace(POSSESSIVE, ''));
    if (word !== '') visit({ word, start, end: start + token.length, line });
    return;
  }
  for (const part of token.matchAll(CJK_OR_RUN)) {
    const word = foldWord(part[0]);
    const from = start + part.index;
    if (word !== '') visit({ word, start: from, end: from + part[0].length, line });
  }
}

/** A few compatibility characters fold to several words, which count as one. */
function foldWord(token: string): string {
  return fold(token).replace(APOSTROPHE_OR_SPACE, '').slice(0, MAX_WORD_LENGTH).toWellFormed();
}

function isCjkWord(word: string): boolean {
  return CJK.test(word);
}

/** Counts lines while a text is read from the start to the end. */
class Position {
  readonly #text: string;
  #line = 1;
  /** The end of the line: a long one is not searched again for each word. */
  #end: number;
  #isHeading: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#end = endOfLine(text, 0);
    this.#isHeading = text.startsWith('#');
  }

  /** Moves to an offset and returns its line. */
  advance(offset: number): number {
    while (this.#end < offset) {
      this.#line++;
      this.#isHeading = this.#text.startsWith('#', this.#end + 1);
      this.#end = endOfLine(this.#text, this.#end + 1);
    }
    return this.#line;
  }

  /** Whether what is between two words separates phrases. The end of a heading does. */
  isBreak(from: number, to: number): boolean {
    if (to === from) return false;
    const gap = this.#text.slice(from, Math.min(to, from + 200));
    if (to - from > 200) return true;
    if (gap === ' ') return false;
    if (gap.includes('\n') && this.#isHeading) return true;
    return !JOINING_GAP.test(gap.replace(EMPHASIS, ''));
  }
}

/** The offset of the next line break; `Infinity` after the last. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? Infinity : end;
}

/** German function words, folded. */
const GERMAN = `aber als am an auch auf aus bei bin bis das dass dein dem den der des die dies diese diesem diesen dieser
  dieses du durch ein eine einem einen einer eines er es euch euer fur gegen hab habe haben hat hatte hier ich ihm ihn ihnen
  ihr ihre im in ins ist ja jede jeder jedes kann kein keine konnen mein meine mich mir mit muss nach nicht noch nur ob oder
  ohne sehr sein seine sich sie sind so uber um und uns unser unter vom von vor war waren was weil wenn wer werden wie wir
  wird wo zu zum zur zwischen wann viel viele dann doch schon mal man nichts alle allem allen da ihrem ihren ihrer`;

/** Words that name a kind of note and no topic, folded. */
const GENERIC = `archive archiv blank draft drafts entwurf faq home idea ideas idee ideen inbox index info journal link links
  list lists liste log main meeting meetings memo misc new note notes notiz notizen overview page plan readme seite sonstiges
  start summary tag tage task tasks tagebuch template test title titel todo todos uberblick unbenannt untitled vorlage
  wichtig important monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
  samstag sonntag january february march april may june july august september october november december januar februar marz
  mai juni juli oktober dezember today tomorrow yesterday heute morgen gestern
  eur usd gbp chf jpy sek nok dkk pln czk inr cny aud cad
  this these those here now what why when yes okay thanks hello hi well just also then there`;

/** Peoples, languages and parts of the world, folded: a text that has one of these words is not about it. */
const DEMONYMS = `african american arab arabic argentine asian australian austrian belgian brazilian british bulgarian canadian
  catalan chinese colombian croatian cuban czech danish dutch egyptian english estonian european finnish flemish french german
  greek hebrew hungarian icelandic indian indonesian iranian iraqi irish israeli italian japanese korean latin latvian
  lithuanian malaysian mexican moroccan nigerian norwegian pakistani persian peruvian polish portuguese romanian russian
  scottish serbian slovak slovenian spanish swedish swiss thai turkish ukrainian vietnamese welsh`;

/** Pronouns and kinds of notes in Chinese and Japanese. */
const CJK_NAMES = `これ それ あれ ここ そこ 私 僕 です ます こと もの 今日 明日 昨日 无题 無題 笔记 筆記 日记 日記 メモ ノート 我们 你们
  他们 这个 那个 什么 今天 明天 昨天 目录 目次 索引 首页`;

const FUNCTION_WORDS = new Set(GERMAN.split(/\s+/));
const DEMONYM_WORDS = new Set(DEMONYMS.split(/\s+/));
const GENERIC_NAMES = new Set(`${GENERIC} ${CJK_NAMES}`.split(/\s+/));

/** An English or German function word, folded. */
export function isFunctionWord(word: string): boolean {
  return isStopWord(word) || FUNCTION_WORDS.has(word);
}

/**
 * Returns a test for the function words of a text: those of English, of German and of its own language. "Mina" is a name in an
 * English text, and a pronoun in a Swedish one.
 * @param words of the text, folded
 */
export function functionWordTest(words: readonly string[]): (word: string) => boolean {
  const languages = languagesOf(words);
  // Of a text that may be English, or in two similar languages, what is no function word of one of them may be a name.
  return (word) => isFunctionWord(word) || languages.every((language) => isFunctionWordOf(word, [language]));
}

export function isGermanFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word) && !isStopWord(word);
}

/** "Scottish", which tells nothing as a phrase of its own. @param word folded */
export function isDemonym(word: string): boolean {
  return DEMONYM_WORDS.has(word);
}

/** @param words of a name, folded; CJK characters are words of their own */
function isGenericName(words: readonly string[]): boolean {
  return GENERIC_NAMES.has(words.join('')) || words.every(isFunctionWord);
}

/** Longer names are titles that no other text repeats. */
export const MAX_CONCEPT_WORDS = 24;
export const MAX_NAME_LENGTH = 200;
/** "AI" and "IT" are also words when case does not matter. */
const MIN_LETTERS = 3;
const MIN_CJK_CHARACTERS = 2;

/** The form in which names are compared: their folded words, joined by spaces. Empty for a name without words. */
export function nameKey(name: string): string {
  const words: string[] = [];
  visitNameWords(name.slice(0, 2 * MAX_NAME_LENGTH), ({ word }) => {
    words.push(word);
  });
  return words.at(-1) === BREAK ? words.slice(0, -1).join(' ') : words.join(' ');
}

/**
 * Whether a text that contains the name speaks of it: not for a name that is too short or too long, for a number or a date,
 * for function words, and for names such as "Index" and "Inbox".
 */
export function isMentionable(key: string): boolean {
  const words = key.split(' ').filter((word) => word !== BREAK);
  if (words.length === 0 || words.length > MAX_CONCEPT_WORDS || key.length > MAX_NAME_LENGTH) return false;
  if (isGenericName(words)) return false;
  const cjk = words.filter(isCjkWord).length;
  if (cjk >= MIN_CJK_CHARACTERS) return true;
  return (words.join('').match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS;
}
