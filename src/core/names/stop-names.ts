import { isFunctionWordOf, languagesOf } from '../text/language/language.ts';
import { isStopWord } from '../text/stop-words.ts';

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
export function isGenericName(words: readonly string[]): boolean {
  return GENERIC_NAMES.has(words.join('')) || words.every(isFunctionWord);
}
