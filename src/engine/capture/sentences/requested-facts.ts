import { isInstruction, isOnlyRequest, isRefusal, isStatement, requestedFact } from './requests.ts';
import { hasSecret, mayBeValue, namesSecret } from './secret-words.ts';

interface RequestedFacts {
  /** In the words of the owner, each once. */
  readonly facts: readonly string[];
  /** How many were left out because they have a secret. */
  readonly secrets: number;
}

/** Longer sentences are parts of documents. In characters. */
const MAX_LENGTH = 300;
const MIN_LENGTH = 8;
/** With a request before or after it. */
const MAX_SENTENCE_LENGTH = 400;

/**
 * What a message of the owner asks to remember, in its own words and order, without a language model. Nothing of a message that asks not
 * to be remembered, or in which somebody else may have written something; no instruction for the agent; and no sentence with a secret.
 * Takes time in proportion to the length of the message.
 */
export async function requestedFacts(message: string): Promise<RequestedFacts> {
  const { words, isFramed } = ownWords(message);
  const sentences = splitMessage(words);
  if (isFramed || isRefusal(sentences.map(({ plain }) => plain).join(' '))) return { facts: [], secrets: 0 };
  const facts = new Set<string>();
  let secrets = 0;
  const naming = [...new Set(sentences.map(({ text }) => text).filter(namesSecret))].slice(0, 2);
  for (const [at, { text }] of sentences.entries()) {
    if (text.length > MAX_SENTENCE_LENGTH) continue;
    const fact = requestAt(sentences, at);
    if (fact === null || fact.length < MIN_LENGTH || fact.length > MAX_LENGTH) continue;
    if (facts.has(fact) || isInstruction(fact)) continue;
    // Two sentences that name a secret are enough: one of them is another than that of the fact.
    const isValue = mayBeValue(fact) && naming.some((each) => !each.includes(fact.slice(1)));
    if (isValue || (await hasSecret(fact))) secrets++;
    else facts.add(fact);
  }
  return { facts: [...facts], secrets };
}

/** What a sentence asks to remember: something in itself, or the sentence before or after it. */
function requestAt(sentences: readonly Sentence[], at: number): string | null {
  const sentence = sentences[at]!;
  if (!isOnlyRequest(sentence.plain)) return requestedFact(sentence);
  const other = sentences[at - 1] ?? sentences[at + 1];
  return other !== undefined && isStatement(other.plain) ? other.text : null;
}

/** The rest of a longer message is a document, and not what the speaker says. In characters. */
const MAX_MESSAGE_LENGTH = 10_000;
/** The end of a sentence, unless the word before the full stop is an abbreviation or a number ("Dr. Okafor", "am 9. Juni"). */
const END_OF_SENTENCE =
  /(?<=[!?…。！？]["'”’»)]{0,2}|(?<!\b(?:dr|mr|mrs|ms|prof|st|nr|no|ca|bzw|vs|frl|hr|fr|e\.g|i\.e|z\.b|\d{1,2}))\.["'”’»)]{0,2})\s+(?=\S)/iu;

/** A sentence that the speaker wrote. */
interface Sentence {
  /** In the speaker's own words. */
  readonly text: string;
  /** With plain apostrophes and quotation marks, for patterns. */
  readonly plain: string;
}

/** The sentences of a message, in its order, without code, links, tables and quoted lines. */
function splitMessage(message: string): Sentence[] {
  return message
    .slice(0, MAX_MESSAGE_LENGTH)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll(/`[^`\n]*`/g, ' … ')
    .replaceAll(/https?:\/\/\S+/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*[>|]/.test(line))
    .flatMap((line) => line.split(END_OF_SENTENCE))
    .map((sentence) =>
      sentence
        .replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '')
    .map((text) => ({ text, plain: text.replaceAll(/[’‘]/g, "'").replaceAll(/[“”„«»]/g, '"') }));
}

/** Longer beginnings of lines say no more about who wrote them. In characters. */
const MAX_LINE_LENGTH = 300;
/** What the host puts before the message of the owner, and where that begins. */
const HOST_CONTEXT = '[Chat messages since your last reply';
const CURRENT_MESSAGE = /\[Current message[^\]\n]{0,60}\]/;

/** A text that somebody else wrote, or that the agent is to work on. */
const FRAMES: readonly RegExp[] = [
  // Tasks with a text.
  /\b(?:translate|proofread|rewrite|rephrase|summari[sz]e|write (?:a|an|me|the)|draft|(?<!(?:remember|note|save|store|in mind|memori[sz]e) )the following|cover letter|übersetze?n?|zusammenfass\p{L}*|fasse? .{1,60} zusammen|schreib(?:e)? (?:einen?|mir)|(?<!dir )(?<!dir bitte )folgende[nrs]?|tradui[st]\p{L}*|résume[zr]?|traduce|traduci|riassumi|vertaal|vat .{1,60} samen|traduza|resumir|resuma)(?!\p{L})/iu,
  /\b(?:this|that|the following|an?|my|these|diese[nrs]?|der|die|das|eine?n?|ce|cette|este|esta|questo|questa|deze|dit) (?:[\p{L}-]+ ){0,2}(?:text|e-?mails?|mail|messages?|letter|draft|article|transcript|page|web ?site|site|document|attachment|pdf|newsletter|thread|report|review|nachricht|brief|entwurf|artikel|seite|dokument|anhang|courriel|lettre|correo|carta|pagina|página|lettera|bericht)(?!\p{L})[^\n]{0,80}(?:[:?.]|$)/iu,
  // Who wrote it.
  /^\s*\[(?:forwarded|fwd|quoted|message|from|assistant|system|tool|chat|weitergeleitet|transféré|reenviado|inoltrato|doorgestuurd)(?!\p{L})|^\s*\[[^\]\n]{1,120}\]\s*$|^-{3,}|<\/?[a-z][^<>\n]{0,200}>|"""/iu,
  /^\s*(?:from|to|subject|date|sent|cc|re|fwd?|von|an|betreff|gesendet|datum|de|à|objet|para|asunto|da|oggetto|van|aan|onderwerp|assunto|user|assistant|system|human|ai|bot|tool|developer) ?: ?/iu,
  /(?<!\p{L})(?:wrote|writes|told|tells|said|says|texted|e-?mailed|mailed|asked|asks|replied|posted|schrieb|schreibt|sagte?|sagt|meinte|écrit|dit|escribió|dijo|scritto|detto|schreef|zei|escreveu|disse)(?!\p{L})[^\n]{0,60}(?::|\bthis\b|\bfolgendes\b|$)/iu,
  /(?<!\p{L})(?:sent|sends|gave|forwarded|shared|geschickt|weitergeleitet|envoyé|enviado|mandado|inviato|gestuurd) (?:me|us|this|it|the|mir|uns)(?!\p{L})|(?<!\p{L})(?:schickte?|sandte) (?:mir|uns)(?!\p{L})/iu,
  // How letters begin and end.
  /^\s*(?:dear|sehr geehrte[rs]?|liebe[rs]?|chère?|cher|estimad[oa]|gentile|prezad[oa]) \p{L}{2,}[^\n]{0,40},?$/iu,
  /^\s*(?:best|kind|warm)?(?: ?(?:regards|wishes)|(?<=best)),? ?[\p{L} .]{0,30}$|^\s*(?:sincerely|yours|viele grüße|liebe grüße|mit freundlichen|cordialement|saludos|cordiali saluti|groeten|atenciosamente)(?!\p{L})/iu,
];
/** What may stand before a text on the next lines: a question, a task, a greeting, or what a quotation begins with. */
const BEFORE_TEXT =
  /[?:]\s*$|^\s*(?:>|```)|^\s*(?:(?:please|bitte|can you|could you) )*(?:look|check|read|fix|explain|correct|review|answer|reply|analy[sz]e|edit|improve|shorten|extract|classify|parse|format|convert|find|erkläre?|prüfe?|lies|korrigiere?|verbessere?|corrige|explique|explica|controlla|leggi|lee|lis|lees)(?!\p{L})|^\s*(?:hi|hello|hey|hallo|bonjour|hola|ciao|dag|olá) ?[\p{L} ]{0,30},?\s*$/iu;
/** A line with the name of a speaker. */
const SPEAKER = /^\s*\p{Lu}[\p{L}.' -]{0,24}: \S/u;
/** Notes for the agent begin as the lines of a speaker do. */
const REQUEST = /^\s*(?:note|notiz|notez|nota|notitie|remember|reminder|fyi|merke?|please)\b/iu;

/** The message of the owner without earlier messages, and whether something in it may be a text that somebody else wrote. */
function ownWords(message: string): { readonly words: string; readonly isFramed: boolean } {
  const parts = message.split(CURRENT_MESSAGE);
  const isInHostFormat = message.trimStart().startsWith(HOST_CONTEXT);
  const words = parts.at(-1)!;
  // A marker that others wrote cannot be told from that of the host.
  const isDoubtful = isInHostFormat ? parts.length !== 2 : parts.length > 1;
  const lines = words.split('\n').map((line) => line.slice(0, MAX_LINE_LENGTH).replaceAll(/[“”„«»]/g, '"'));
  const speakers = lines.filter((line) => SPEAKER.test(line) && !REQUEST.test(line)).length;
  return { words, isFramed: isDoubtful || speakers > 1 || lines.some(isFrame) || mayPrecedeText(lines) };
}

function mayPrecedeText(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.slice(0, -1).some((line) => BEFORE_TEXT.test(line) && !REQUEST.test(line));
}

function isFrame(line: string): boolean {
  return FRAMES.some((frame) => frame.test(line));
}
