/** Where a sentence is not what the owner says of the own life: a question, a condition, a quotation, fiction, a joke, a task. */
const NO_STATEMENT: readonly RegExp[] = [
  // Questions, also without their mark.
  /[?？]/,
  /^(?:do|does|did|am|is|are|was|were|can|could|would|should|will|have you|what|why|how|who|where|when|which|whose)\b/i,
  /^(?:was|warum|wieso|wie|wer|wo|wann|welche[rs]?|kannst|könntest|würdest|soll|sollte|bin|ist|sind|habe? (?:ich|wir|du)|wohne ich|heiße ich)\b/i,
  // Conditions.
  /\b(?:if|unless|suppose|supposing|assuming|in case|whenever|as long as|otherwise|would|could have|i wish|were i)\b/i,
  /\b(?:wenn|falls|angenommen|sofern|würde|würden|hätte|hätten|wäre|wären|könnte|sonst)\b/i,
  // Fiction, dreams, games.
  /\b(?:imagine|pretend|pretending|role-?play|fictional|novel|fairy ?tale|poem|screenplay|lyrics|narrator|protagonist|my character|dream(?:ed|t)|let's (?:play|say)|play the role|act as|hypothetically|once upon a time|(?:in|for) the (?:story|game|film|movie|play|book|role|part)|scenario|chapter|let us (?:assume|say))\b|^as [A-Z]/i,
  /\b(?:stell(?:e|t)? dir vor|roman|märchen|gedicht|theaterstück|erzähler|geträumt|rollenspiel|tu so|nehmen wir an|spielen wir|im spiel|im film)\b/i,
  // Jokes.
  /\b(?:ha(?:ha)+h?|hehe+|lol|lmao|rofl|just kidding|kidding|jk|joking|as a joke|scherz|witz|spaß beiseite|nur spaß)\b|[;:8]-?[)DPp](?!\w)|[😀-😆😉😂🤣😜😝😛🙃😏]/iu,
  /\b(?:mondays|montage|(?:allergic|married) to (?:\w+ ){0,2}(?:work|meetings|stupid\w*|nonsense|job|laptop|computer|sea|idiots|taxes)|allergisch gegen (?:\w+ ){0,2}(?:steuern|arbeit|dummheit|meetings|regeln))\b/i,
  // Quotations, and what was said, written or sung.
  /["]|^'|\s'[\p{L}]/u,
  /\b(?:said|says|say|saying|told|tells|texted|texts|wrote|writes|written|claims?|claimed|asked|replied|quoted?|sings?|the song|the ad|the sign|according to)\b/i,
  /\b(?:sagte?|gesagt|sagt|schrieb|geschrieben|behauptet\w*|erzählte?|meinte|laut|zufolge)\b/i,
  /\b(?:not true|untrue|isn't true|(?:it is|it's|is) (?:false|wrong)|a lie|stimmt nicht|nicht wahr|gelogen)\b/i,
  /\b(?:uh|uhm|um|erm|wait no|äh|ähm)\b/i,
  // What refers to something else in the conversation.
  /\b(?:the|that|this|these|those|your) (?:[\w-]+ )?(?:ones?|version|option|variant|draft|approach|suggestion|idea|answer|code|function|file)\b/i,
  // Tasks for the agent.
  /^(?:please |bitte |and |then |now )?(?:write|translate|summari[sz]e|rewrite|proofread|correct|fix|add|make|create|draft|send|find|search|look|show|tell|give|explain|check|run|open|use|change|update|delete|remove|list|help|book|buy|order|set|turn|play|read|answer|reply|compare|convert|calculate|generate|pretend|say|put|schedule|cancel)\b/i,
  /^(?:bitte )?(?:schreibe?|übersetze?|fasse?|korrigiere?|füge?|mache?|erstelle?|sende|suche?|zeige?|gib|erkläre?|prüfe?|öffne|ändere|lösche?|hilf|buche|bestelle|stelle?|lies|antworte|vergleiche)\b(?! (?:ich|wir))/i,
  // Code and programs.
  /[{}<>=\\`…]|\b(?:function|query|regex|repo|branch(?:es)?|commits?|null|undefined|compil\w+|stack ?trace|exception|unit tests?|endpoint|variable|docker|merge conflicts?|pull request)\b/i,
];

/** What is true for hours: where somebody is today, what is late, how somebody feels. */
const MOMENTS: readonly RegExp[] = [
  /\b(?:today|tonight|tomorrow|yesterday|right now|just now|at the moment|currently|this (?:morning|afternoon|evening|minute|second)|these days|in a (?:minute|moment|second)|in \d+ (?:minutes|hours)|on my way|running late|late|delayed|already|soon|again|asleep|awake|today's|o'clock|am in a hurry|feel(?:ing)?|minutes?|seconds|percent)\b/i,
  /\b(?:heute|morgen(?! früh)|gestern|gerade|gleich|momentan|im moment|derzeit|zur zeit|vorhin|eben|soeben|unterwegs|verspätung|verspätet|müde|minuten|schon wieder|bald)\b/i,
  /\b(?:hungry|thirsty|tired|sleepy|cold|bored|busy|sick|ill|hurts?|killing me|headache|(?<!hay )fever|meeting|appointment|flight|train|the bus|dentist|waiting)\b/i,
  /\b(?:hunger|durst|krank|erkältet|kopfschmerzen|fieber|termin|besprechung|zug|flug|warte|stau|wartezimmer)\b/i,
];

/** What may be true for long, but not as the sentence has it: negated, uncertain, past, planned, for a time. */
const UNSURE: readonly RegExp[] = [
  /\b(?:not|never|no longer|don't|doesn't|didn't|isn't|aren't|wasn't|haven't|hasn't|won't|can't|cannot|couldn't|no|none|nobody|nothing|neither|nor|hardly|against|anymore|any more|stopped|quit)\b/i,
  /\b(?:nicht|nie|niemals|keine?[nrsm]?|niemand|nichts|weder|kaum|gegen das|mehr)\b/i,
  /\b(?:maybe|perhaps|might|probably|possibly|i think|i guess|i believe|i suppose|not sure|sort of|kind of|apparently|seems?|supposedly|allegedly|almost|nearly|practically|basically|sometimes)\b/i,
  /\b(?:vielleicht|vermutlich|wahrscheinlich|eventuell|ich glaube|ich denke|angeblich|scheinbar|anscheinend|irgendwie|fast|manchmal)\b/i,
  /\b(?:used to|was|were|had|last (?:year|month|week)|ago|formerly|back then|when i|as a (?:kid|child)|until|till|for now|for the time being|temporarily|this (?:week|month|year|summer|winter|spring|autumn)|next (?:week|month|year|spring|summer)|for (?:a|two|three|a few|some) (?:days?|weeks?|months?)|going to|gonna|plan(?:ning)? to|want to|hope to|will)\b/i,
  /\b(?:früher|war|waren|hatte|hatten|damals|letzte[sn]?|vor (?:einem|zwei|drei)|bis|vorübergehend|vorerst|nächste[snr]?|werde|wollen|will|möchte|plane)\b/i,
  // What is said to the agent concerns the conversation.
  /\b(?:you|your|yours|du|dir|dich|deine?[rnsm]?)\b/i,
  // What stands before the colon says who says it, or what for.
  /^[^:]{1,80}: /,
  /\b(?:but|although|though|except|because|aber|obwohl|außer|weil)\b/i,
];

const FICTION =
  /^(?:chapter|act|scene|kapitel|szene) \S+\.?$|\b(?:imagine|pretend|role-?play|let's play|in my (?:novel|story|dream|book)|you are (?:a|an|my)|you(?:'re| be) (?:a|an|the|my)|continue the story|write a (?:story|poem|novel|song)|stell(?:e|t)? dir vor|rollenspiel|du bist (?:ein|eine)|schreib(?:e)? (?:eine geschichte|ein gedicht))\b/i;

function has(markers: readonly RegExp[], plain: string): boolean {
  return markers.some((marker) => marker.test(plain));
}

export function isStatement(plain: string): boolean {
  return !has(NO_STATEMENT, plain);
}

export function isMoment(plain: string): boolean {
  return has(MOMENTS, plain);
}

export function isUnsure(plain: string): boolean {
  return has(UNSURE, plain);
}

/** Whether what follows in the message is invented. */
export function isFiction(plain: string): boolean {
  return FICTION.test(plain);
}
