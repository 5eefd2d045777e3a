/** Longer beginnings of lines say no more about who wrote them. In characters. */
const MAX_LENGTH = 300;
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
export function ownWords(message: string): { readonly words: string; readonly isFramed: boolean } {
  const parts = message.split(CURRENT_MESSAGE);
  const isInHostFormat = message.trimStart().startsWith(HOST_CONTEXT);
  const words = parts.at(-1)!;
  // A marker that others wrote cannot be told from that of the host.
  const isDoubtful = isInHostFormat ? parts.length !== 2 : parts.length > 1;
  const lines = words.split('\n').map((line) => line.slice(0, MAX_LENGTH).replaceAll(/[“”„«»]/g, '"'));
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
