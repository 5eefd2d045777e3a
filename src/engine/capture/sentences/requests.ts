const TOKEN = /\\p\{\w+\}|\\.|\(\?<\w+>|\(\?-i:|\[(?:\\.|[^\]\\])*\]|[()]|\p{L}/gu;
const IN_CLASS = /\\p\{\w+\}|\\.|(\p{L})(?:-(\p{L}))?/gu;

/**
 * A pattern that matches both cases, except within `(?-i:…)`. V8 compiles that group wrongly with the flag `i` when it does not optimize,
 * as it does after a process has compiled a megabyte of patterns: each letter is written in both cases instead.
 */
export function caseless(pattern: string): RegExp {
  let depth = 0;
  let sensitiveSince = Infinity;
  const source = pattern.replaceAll(TOKEN, (token) => {
    if (token === ')') {
      if (--depth < sensitiveSince) sensitiveSince = Infinity;
      return token;
    }
    if (token.startsWith('(')) {
      depth++;
      if (token !== '(?-i:') return token;
      sensitiveSince = Math.min(sensitiveSince, depth);
      return '(?:';
    }
    if (token.startsWith('\\') || sensitiveSince <= depth) return token;
    return token.startsWith('[') ? token.replaceAll(IN_CLASS, bothCases) : `[${bothCases(token, token)}]`;
  });
  return new RegExp(source, 'u');
}

function bothCases(token: string, from?: string, to?: string): string {
  if (from === undefined) return token;
  const rangeOf = (first: string, last?: string): string => (last === undefined ? first : `${first}-${last}`);
  // The upper case of ß is two letters.
  const upper = from.toUpperCase();
  const both = [rangeOf(from.toLowerCase(), to?.toLowerCase()), rangeOf(upper, to?.toUpperCase())];
  return upper.length === from.length ? both.join('') : from;
}

/** What comes before a request: a greeting, politeness. */
const OPENING =
  "(?:(?:hey|hi|hello|ok|okay|so|and|also|oh|please|pls|plz|btw|by the way|just|one more thing|hallo|und|auch|ach|übrigens|bitte|s'il te plaît|s'il vous plaît|stp|por favor|per favore|per piacere|alsjeblieft|graag|hoi|et|y|e|en)[,:!]? ){0,3}";
/** A request as a question, which may end with a question mark. */
const POLITE =
  "(?<polite>(?:can|could|would|will) you (?:please |kindly |also )?|i(?:'d| would)? (?:want|like|need) you to )?";
/** Between the request and what is to be remembered. */
const THAT =
  '(?: (?:this|the following|this fact|for (?:next time|later|the future)))?(?: ?[:,;–—-] ?| that )(?:that )?';

/** Requests to remember something, each with the group `fact`. */
const REQUESTS: readonly RegExp[] = [
  `${POLITE}(?:please )?(?:remember|(?<=please )note|note down|keep in mind|bear in mind|don't (?:you )?(?:ever )?forget|do not forget|never forget|make a (?:mental )?note|take note)(?: please)?${THAT}(?!(?:time|day|night|one|when|if|in|on|at|for|with|as|from|down|feeling|moment)\\b)(?<fact>.+)`,
  `${POLITE}(?:please )?(?:note|memori[sz]e|write(?: this)? down|save(?: this)?|store(?: this)?) ?[:–—] ?(?<fact>.+)`,
  // Without "that": what follows must be a sentence.
  `${POLITE}(?:please )?(?:remember|don't forget|do not forget|keep in mind) (?<fact>(?:i|i'm|i've|we|we're|it's|he|she|they) .+|(?:my|our|the|(?-i:\\p{Lu})[\\p{L}-]+) (?:[\\p{L}'-]+ ){0,5}(?:is|are|was|has|have|likes?|hates?|lives?|works?|can|can't|cannot|needs?|comes?|goes|opens|closes|starts|ends|costs|takes) .+)`,
  '(?:for the record|for future reference|for your memory)[,:] (?<fact>.+)',
  // German.
  '(?:merke? (?:es )?dir|notiere?(?: dir)?|speichere?|denke? (?:bitte |immer )?daran|vergiss (?:bitte |mir )?nicht|behalte? im (?:hinter)?kopf|(?:bitte )?merken)(?: bitte| mal| doch| folgendes| das)*(?:,? dass |: ?)(?<fact>.+)',
  'merke? dir(?: bitte| mal)? (?<fact>(?:ich|wir|meine?|unsere?|der|die|das) .+)',
  '(?<polite>(?:kannst|könntest|würdest) du dir (?:bitte )?(?:merken|notieren),? dass )(?<fact>.+)',
  'ich möchte, dass du dir merkst,? dass (?<fact>.+)',
  // A note in any of the languages.
  '(?:notiz|notez?|nota|notitie|fürs protokoll) ?: ?(?<fact>.+)',
  // French.
  "(?<polite>peux-tu |pouvez-vous |tu peux )?(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|retenir|n'oublie(?:z)? pas|gardez? en (?:tête|mémoire)|mémorisez?|enregistrez?)(?: bien| stp| s'il te plaît)?(?: que | qu'| (?:ceci |ça )?: ?|: ?)(?<fact>.+)",
  // Spanish.
  '(?:recuerda|recuerde|acuérdate de|anota|anote|apunta|apunte|no (?:te )?olvides?(?: de)?|no olvide|ten en cuenta|memoriza|guarda)(?: esto)?(?: que |: ?)(?<fact>.+)',
  // Italian.
  '(?:ricorda|ricordati|ricordi|annota|segna|segnati|tieni (?:a mente|presente)|non dimenticare|non scordare|memorizza)(?: questo| bene)?(?: che |: ?)(?<fact>.+)',
  // Dutch.
  '(?:onthoud|noteer|vergeet (?:alsjeblieft )?niet|denk eraan|bewaar|hou in gedachten)(?: alsjeblieft| even| dit)*(?:,? dat |: ?)(?<fact>.+)',
  // Portuguese.
  '(?:lembra-te|lembre-se|lembra|lembre|anota|anote|não (?:se |te )?esque(?:ças?|cer?)(?:-te)?|tem em conta|tenha em mente|memoriza|memorize|guarda|guarde)(?: d?ist?[ots]o)?(?: de)?(?: que |: ?)(?<fact>.+)',
].map((request) => caseless(`^${OPENING}${request}$`));

/** After the fact: "…, please remember that." */
const REQUEST_AFTER =
  /^(?<fact>.{8,}?)[,;–—-]+ ?(?:and |so |und |also )?(?:please |bitte )?(?:remember (?:that|this|it)|don't forget (?:that|this|it)|note that|keep that in mind|merke? dir das|nicht vergessen|bitte merken)(?: please| bitte)?[.!]*$/iu;
/** A request that refers to the sentence before or after it. */
const ONLY_REQUEST =
  /^(?:(?:and|so|please|bitte|und|can you|could you) ){0,2}(?:please )?(?:remember (?:that|this|it)|don't forget (?:that|this|it)|keep (?:that|this) in mind|make a note of (?:that|this|it)|note (?:that|this) down|merke? dir das|vergiss das nicht|retiens ça|recuérdalo|recuerda esto|ricordatelo|onthoud (?:dat|dit)|lembra-te disso|lembre-se disso)(?:,? (?:please|bitte|alsjeblieft))?[.!:?]*$/iu;

/** The owner asks that something is not remembered. */
const REFUSALS: readonly RegExp[] = [
  /(?<!\b(?:i|we|they|he|she|people) )\b(?:don't|do not|dont|never|not|no need to|needn't|shouldn't|must not|mustn't|won't|rather not|without)(?: \w+){0,3}? (?:remember(?:ing|ed)?|stor(?:e|ing|ed)|sav(?:e|ing|ed)|not(?:e|ing) (?:this|that|it|down)|record(?:ing|ed)?|memori[sz](?:e|ing|ed)|keep(?:ing)? (?:this|that|it)|write (?:this|that|it) down)\b/iu,
  /(?<!\b(?:don't|do not|never|not|ever) )\bforget (?:that|this|it|what|everything|about|the fact|i|my|our)\b/iu,
  /\b(?:off the record|not for the record|strike that|scratch that|(?:delete|ignore|disregard) (?:that|this|what i))\b/iu,
  /\b(?:merke?|notiere?|speichere?|behalte?)(?: dir| es)?(?: bitte)?(?: das| dies| es| den satz| diesen satz)?(?: bitte)? (?:nicht|nie|niemals)\b/iu,
  /\b(?:nicht|nie|niemals|nichts)(?: \p{L}+){0,2}? (?:zu )?(?:merken|speichern|notieren|behalten|aufschreiben|merkst)\b/iu,
  /\bvergiss,? (?:bitte,? )?(?:das|es|was|dass|alles|meinen?|unsere?n?)\b/iu,
  /\bne (?:te |vous )?(?:retiens|retenez|note|notez|mémorise|mémorisez|garde|gardez|souviens|rappelle)\w* pas\b|\bn'enregistrez? pas\b|(?<!n')\boublie(?:z)? (?:ça|cela|ceci|ce que|que)\b/iu,
  /\bno (?:lo )?(?:recuerdes|recuerde|anotes|anote|guardes|guarde|memorices|apuntes)\b|\bolvida (?:esto|eso|lo que|que)\b/iu,
  /\bnon (?:ti )?(?:ricordare|ricordarti|memorizzare|salvare|annotare|segnare|ricordartelo)\b|(?<!non )\bdimentica (?:questo|quello|che|ciò)\b/iu,
  /\b(?:onthoud|bewaar|noteer) (?:dit|dat|het)(?: alsjeblieft)? niet\b|\bniet (?:onthouden|bewaren|opslaan|noteren)\b|\bvergeet (?:dit|dat|het|wat)\b/iu,
  /(?<![\p{L}])não (?:se |te )?(?:lembres?|guardes?|anotes?|memorizes?|regist[er]?es?|graves?)(?:-te|-se)?(?![\p{L}])|(?<!não |não se |não te )(?<![\p{L}])esque(?:ce|ça) (?:isso|isto|o que|que)(?![\p{L}])/iu,
  /\b(?:don't|do not|dont|didn't|never|not|shouldn't|must not|mustn't|won't|rather not|without)(?! (?:you )?(?:ever )?forget\b)(?: \w+){0,3}? (?:retain|learn|log|persist|capture)(?:ing|n?ed)?\b/iu,
  /\b(?:don't|do not|dont|didn't|never|not|shouldn't|must not|mustn't|won't|without)(?! (?:you )?(?:ever )?forget\b)(?: \w+){0,3}? (?:add|put|write|writing|written|putting|commit|enter|place|include|take|jot|keep)(?:ing|ting|e?d)?(?: [\w']+){0,5}? (?:down|memory|memories|records?|notes?)\b/iu,
  /\b(?:keep|make|take|leave) no (?:records?|notes?|trace|memory|memories|copy)\b|\b(?:avoid|refrain from|stop|skip|abstain from)(?: \w+){0,2}? (?:remembering|storing|saving|recording|noting|memori[sz]ing|keeping|logging|capturing)\b/iu,
  /\b(?:nothing|none)(?: \w+){0,6}? (?:remembered|stored|saved|recorded|kept|memori[sz]ed|noted)\b/iu,
  /\b(?:between (?:us|you and me)|(?:stays?|remains?|keep (?:this|it|that)) (?:private|secret|confidential|to yourself)|unter uns|vertraulich|entre (?:nous|nosotros|nós)|tra (?:di )?noi|onder ons)(?!\p{L})/iu,
  /\b(?:nicht|nie|niemals|nichts)(?: \p{L}+){0,4}? (?:zu )?(?:\p{L}{0,4}speicher(?:n|st|t)|gespeichert|gemerkt|notiert|aufgenommen|festhalten|ablegen|aufnehmen|aufzeichnen|gedächtnis|erinnerung(?:en)?|notizen?)(?!\p{L})/iu,
  /\bne (?:\p{L}+ ){0,3}?pas (?:\p{L}+ ){0,3}?(?:mémoris|enregistr|reten|not[eé]|gard|stock|sauvegard|souvenir)/iu,
  /(?<!\p{L})no (?!(?:te |lo )?olvid)(?:\p{L}+ ){0,3}?(?:memori[zc]|guard|guárd|anot|apunt|almacen|registr|recuerd)/iu,
  /(?<!\p{L})non (?!(?:ti )?(?:dimentic|scord))(?:\p{L}+ ){0,3}?(?:memorizz|salv|annot|registr|conserv)/iu,
  /(?<!\p{L})niet (?!dat )(?:\p{L}+ ){0,3}?(?:onthou|opsla|opgeslagen|bewa|noteer|genoteerd|geheugen)/iu,
  /(?<!\p{L})não (?!(?:se |te )?esque)(?:\p{L}+ ){0,3}?(?:memoriz|guard|anot|regist|grav|armazen)/iu,
];

/** Whether a message, which may be of several lines, asks that it is not remembered. */
export function isRefusal(message: string): boolean {
  const plain = foldedText(message).plain.replaceAll(/\s+/g, ' ');
  return REFUSALS.some((pattern) => pattern.test(plain));
}

/** Whether a sentence is only a request, and the fact is in the sentence before or after it. */
export function isOnlyRequest(plain: string): boolean {
  return ONLY_REQUEST.test(plain);
}

/** What a sentence asks to remember, in the words of `text`; `null` if it asks for nothing. */
export function requestedFact({
  text,
  plain,
}: {
  readonly text: string;
  readonly plain: string;
}): string | null {
  const isQuestion = /\?\s*$/.test(plain);
  for (const pattern of [...REQUESTS, REQUEST_AFTER]) {
    const groups = pattern.exec(plain)?.groups;
    const fact = groups?.['fact'];
    if (fact === undefined) continue;
    // What somebody else said is not asked for by the owner.
    if (pattern === REQUEST_AFTER && !isStatement(fact)) return null;
    // "Remember that trip?" asks whether somebody does.
    if (isQuestion && groups?.['polite'] === undefined) return null;
    const start = plain.indexOf(fact);
    const words = text.slice(start, start + fact.length).replace(/\s*\?$/, '');
    return isComplete(words) ? capitalised(words.trim()) : null;
  }
  return null;
}

/** Where a sentence is not what the owner says of the own life: a question, a condition, a quotation, a task. */
const NO_STATEMENT: readonly RegExp[] = [
  // Questions, also without their mark.
  /[?？]/,
  /^(?:do|does|did|am|is|are|was|were|can|could|would|should|will|have you|what|why|how|who|where|when|which|whose)\b/i,
  /^(?:was|warum|wieso|wie|wer|wo|wann|welche[rs]?|kannst|könntest|würdest|soll|sollte|bin|ist|sind|habe? (?:ich|wir|du)|wohne ich|heiße ich)\b/i,
  // Conditions.
  /\b(?:if|unless|suppose|supposing|assuming|in case|whenever|as long as|otherwise|would|could have|i wish|were i)\b/i,
  /\b(?:wenn|falls|angenommen|sofern|würde|würden|hätte|hätten|wäre|wären|könnte|sonst)\b/i,
  // Quotations, and what was said, written or sung.
  /["]|^'|\s'[\p{L}]/u,
  /\b(?:said|says|say|saying|told|tells|texted|texts|wrote|writes|written|claims?|claimed|asked|replied|quoted?|sings?|the song|the ad|the sign|according to)\b/i,
  /\b(?:sagte?|gesagt|sagt|schrieb|geschrieben|behauptet\w*|erzählte?|meinte|laut|zufolge)\b/i,
  // Tasks for the agent.
  /^(?:please |bitte |and |then |now )?(?:write|translate|summari[sz]e|rewrite|proofread|correct|fix|add|make|create|draft|send|find|search|look|show|tell|give|explain|check|run|open|use|change|update|delete|remove|list|help|book|buy|order|set|turn|play|read|answer|reply|compare|convert|calculate|generate|pretend|say|put|schedule|cancel)\b/i,
  /^(?:bitte )?(?:schreibe?|übersetze?|fasse?|korrigiere?|füge?|mache?|erstelle?|sende|suche?|zeige?|gib|erkläre?|prüfe?|öffne|ändere|lösche?|hilf|buche|bestelle|stelle?|lies|antworte|vergleiche)\b(?! (?:ich|wir))/i,
];

/** Whether a sentence may be what a request before or after it refers to. */
export function isStatement(plain: string): boolean {
  return !NO_STATEMENT.some((marker) => marker.test(plain));
}

const INSTRUCTIONS: readonly RegExp[] = [
  // Said to the agent.
  /^(?:please |just |bitte )?(?:always|never|do not|don't|ignore|obey|follow|run|execute|send|pay|transfer|forward|delete|remove|upload|download|share|reveal|tell|show|give|use|answer|reply|respond|write|call|open|make|set|add|approve|grant|allow|let|trust|treat|install|act|pretend|stop|start|buy|order|book|comply|accept|immer|nie|niemals|ignoriere?|gehorche?|befolge?|führe?|sende?|zahle?|überweise?|lösche?|antworte?|nutze?|verwende?)(?!\p{L})/iu,
  /(?<!\p{L})(?:you|your|du|dir|dich|deine?[nmrs]?|tu|vous|usted|je moet|jij|u moet|você) (?:(?:always|never|immer|nie) )?(?:must|should|shall|have to|need to|are to|may|can|owe|obey|ignore|are (?:allowed|now|required)|will|musst|sollst|darfst|kannst|schuldest|dois|devez|debe|moet|deve)(?!\p{L})/iu,
  /(?<!\p{L})(?:agents?|assistants?|assistent\p{L}*|agente|bot|ai|ki|system|model|exec|prompts?|instructions?|anweisung\p{L}*|commands?|befehle?|obeys?|ignor(?:e|es|a|iere?)|disregard|gehorch\p{L}*|override|obéi\p{L}*|obedec\p{L}*|obbedi\p{L}*|gehoorza\p{L}*|negeer|debes|tienes que|devi|deves|dois)(?!\p{L})/iu,
  /(?<!\p{L})without (?:\p{L}+ )?(?:asking|confirm\p{L}*|checking|permission|approval|telling|question)|(?<!\p{L})(?:ohne (?:zu fragen|rückfrage|nachfrage|bestätigung)|sans (?:demander|confirmation)|sin (?:preguntar|confirmar)|senza (?:chiedere|conferma)|zonder (?:te )?vragen|sem (?:perguntar|confirmar))/iu,
  /(?<!\p{L})(?:must|has to|have to|should|shall|müssen|muss|sollen) (?:always |never |only |immer |nie )?(?:be |go to |pay |send |use |transfer |bezahlt|gesendet|überwiesen)/iu,
  /(?<!\p{L})(?:allowed|permitted|authori[sz]ed|entitled) to(?!\p{L})|(?<!\p{L})wants? you to(?!\p{L})|(?<!\p{L})(?:invoices?|bills?|payments?|transfers?|money) (?:go|goes|is|are|must|always)(?!\p{L})/iu,
  // No words of a fact.
  /[<>{}]|(?<!\p{L})(?:rm -|sudo|curl|exec|bash)(?!\p{L})/iu,
];

/** Whether what is to be remembered tells the agent what to do. */
export function isInstruction(fact: string): boolean {
  return INSTRUCTIONS.some((instruction) => instruction.test(fact));
}

/** A noun with its article, or a last word after which something must follow. */
const CUT_OFF =
  /^(?:(?:my|our|the|an?|his|her|their|your|meine?|unsere?|der|die|das|mon|ma|mes|le|la|les|mi|mis|el|los|mio|mia|il|lo|mijn|onze|de|het|meu|minha|o|os|as)(?: [\p{L}'-]+)?|.* (?:the|my|our|are|to|and|of|with|because|a|an))$/iu;

/** At least two words that are a sentence: the rest was cut off, or is somewhere else. */
function isComplete(words: string): boolean {
  const isCutOff = CUT_OFF.test(words.replace(/[.!]+$/, ''));
  return !isCutOff && (words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= 2;
}

function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** Letters of other scripts and marks that look like Latin letters. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'аaеeоoрpсcхxуyіiјjѕsԁdӏlАAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSαaοoρpνvιiκkΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıi',
  ].flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1]!]] : [])),
);
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'gu');
const MARKS: Readonly<Record<string, string>> = {
  '@': 'a',
  '0': 'o',
  '1': 'i',
  $: 's',
  '5': 's',
  '3': 'e',
  '!': 'i',
};

/** A text without invisible characters and with plain digits, and the same with the letters that its characters look like. */
export function foldedText(text: string): { readonly plain: string; readonly folded: string } {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/(?!\d)\p{Nd}/gu, decimal);
  const folded = plain
    .replaceAll(LOOKALIKE, (letter) => LOOKALIKES[letter]!)
    .replaceAll(/(?<=\p{L})[@01$35!]{1,3}(?=\p{L})/gu, (marks) =>
      [...marks].map((mark) => MARKS[mark]!).join(''),
    )
    .replaceAll(/(?<!\p{L})\p{L}(?:[ .-]\p{L}){2,}(?!\p{L})/gu, (letters) =>
      letters.replaceAll(/\P{L}/gu, ''),
    );
  return { plain, folded };
}

/** The digits of a script are ten characters in a row, and the first is the only one that no digit precedes. */
function decimal(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
