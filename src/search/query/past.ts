import { analyze, fold } from '../../core/text/analyze.ts';
import type { TextTerm } from '../../store/search-model.ts';

/** Words that ask for what was true before, folded, by language. Their endings are those of adjectives. */
const PAST_WORDS: readonly string[] = [
  'before|previous(?:ly)?|former(?:ly)?|earlier|prior|first|initial(?:ly)?|original(?:ly)?|(?<!how )old|used? to|back then',
  'at th(?:e|at) time|in the past|no longer|history',
  // A passive asks for something else: "Who was it created by?", "Where was the band founded?".
  '(?:what|how (?:much|many|long|big|often)) (?:was|were)',
  '(?:who|where|when|which) (?:was|were) (?:my|our|your|his|her|their|the)(?!.*(?:\\b(?:by|in|at|on|from|to)\\W*$|ed\\b))',
  'vorher|zuvor|fruher(?:e[nrs]?)?|damals|ehemal\\w+|ursprunglich\\w*|zuerst|anfangs|bisherig\\w+|erste[nrs]?|alte[nrs]?|vorig\\w+',
  'w(?:as|er|ie|o|ann) (?:war(?:en)?|hieß(?:en)?)|welche[rs]? .*\\bwar(?:en)?',
  'avant|auparavant|autrefois|ancien(?:ne)?s?|precedente?s?|premiere?s?|(?:quel(?:le)?|qui|ou|comment) etai(?:en)?t',
  'antes|anterior(?:es|mente)?|previ[oa]s?|primer[oa]?s?|antigu[oa]s?|solia|(?:cual|quien|que|como|donde|cuando|cuanto) (?:era|eran|fue)',
  'prima|precedenti?e?|vecchi[oa]|originari\\w+|inizialmente|(?:qual|chi|dove|come|quanto) era(?:no)?',
  'primeir[oa]s?|antig[oa]s?|antigamente|(?:quem|onde|quanto) era(?:m)?',
  'vroeger|eerder|eerst|voorheen|vorige|oude|oorspronkelijke?|destijds|(?:wat|wie|waar|hoe) (?:was|waren)',
  'tidigare|forut|tidligere|eskiden|onceki|раньше|прежде|прежн\\p{L}+|перв\\p{L}+',
];
const PAST = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${PAST_WORDS.join('|')})(?![\\p{L}\\p{N}])|以前|之前|原来|最初|曾经|かつて|前の|이전|예전`,
  'gu',
);

/** The phrases by which a query asks for the past: "before", "what was". A record that has such a phrase is about that itself. */
export function pastPhrases(query: string): TextTerm[] {
  return Array.from(fold(query).matchAll(PAST), ([phrase]) => ({
    terms: analyze(phrase).map(({ term }) => term),
    prefix: false,
  }));
}

/** What an assistant did with words, in the past. */
const SAID =
  'recommended|suggested|mentioned|said|told|gave|provided|listed|wrote|explained|advised|proposed|shared|described|showed';
const DID_SAY =
  'recommend|suggest|mention|say|tell|give|provide|list|write|explain|advise|propose|share|describe|show';
const ASKS_FOR_REPLY = new RegExp(
  `\\b(?:you (?:${SAID})|did you (?:${DID_SAY})|our (?:previous|last|earlier|past) (?:conversation|chat|discussion)s?)\\b`,
  'i',
);

/** Whether a query asks for what an assistant has said: "which trail did you recommend". Turns of the user do not come first then. */
export function asksForReply(query: string): boolean {
  return ASKS_FOR_REPLY.test(query);
}
