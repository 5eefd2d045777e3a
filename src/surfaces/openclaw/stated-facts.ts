/** Phrases with which people ask somebody to remember something. What follows is the fact. */
const REQUESTS: readonly RegExp[] = [
  /^(?:please |and |also )?(?:remember|note|keep in mind|don['’]t forget|do not forget|for the record)\b[:,]?\s*(?:that\b)?[:,]?\s*(.+)$/i,
  /^(?:bitte )?(?:merke? dir|denke? daran|vergiss nicht|notiere?)(?: bitte)?[:,]?\s*(?:,?\s*dass\b)?[:,]?\s*(.+)$/i,
];

/** Statements about the speaker that stay true for a while: names, places, work, preferences, decisions, allergies. */
const STATEMENTS: readonly RegExp[] = [
  /\b(?:my|our) (?:[\p{L}'’-]+ ){1,5}(?:is|are|was born|lives|works|moved|starts|ends|expires)\b/iu,
  /\bI(?:['’]m| am) (?:allergic|vegetarian|vegan|lactose|diabetic|left-handed|colou?r-?blind|based in|from|called|named|married|responsible for)\b/i,
  /\bI (?:prefer|always|never|hate|dislike|love|live in|work (?:at|for|as)|moved to|was born|speak)\b/i,
  /\b(?:we|I)(?:['’]ve| have)? (?:decided|agreed|chose|chosen|settled on|signed|bought|sold|booked|ordered)\b/i,
  /\bcall me [\p{L}]/iu,
  /\b(?:meine?|unsere?) (?:[\p{L}-]+ ){1,5}(?:ist|sind|heißt|heißen|wohnt|arbeitet|beginnt|endet)\b/iu,
  /\bich (?:bin (?:allergisch|Vegetarier|Veganer|aus)|heiße|wohne in|arbeite (?:bei|als|für)|bevorzuge|hasse|mag)\b/iu,
  /\b(?:wir|ich) (?:haben?|habe) (?:uns (?:für|gegen|auf)\b|.{1,60}\b(?:entschieden|beschlossen|vereinbart|gekauft|gebucht|bestellt)\b)/iu,
];

/** Sentences that state nothing: questions, conditions, wishes, and what somebody else said. */
const NO_STATEMENT: readonly RegExp[] = [
  /[?？]\s*$/,
  /^(?:if|when|unless|suppose|imagine|let['’]s|can|could|would|should|do|does|did|is|are|what|why|how|who|where)\b/i,
  /^(?:wenn|falls|angenommen|stell dir vor|kannst|könntest|würdest|soll|was|warum|wie|wer|wo)\b/i,
  /\b(?:maybe|perhaps|might|I think|I guess|not sure|vielleicht|vermutlich|ich glaube)\b/i,
];

const MIN_LENGTH = 12;
const MAX_LENGTH = 300;
/** The rest of a longer message is a document, and not what the speaker says. */
const MAX_MESSAGE_LENGTH = 10_000;

/**
 * The facts that a message states, in its own words, in its order. No language model is needed: only sentences of a few forms count,
 * and a message of another form states nothing. English and German.
 */
export function statedFacts(message: string): string[] {
  const facts = sentencesOf(message.slice(0, MAX_MESSAGE_LENGTH)).flatMap((sentence): string[] => {
    const requested = REQUESTS.map((pattern) => pattern.exec(sentence)?.[1]?.trim()).find(
      (fact) => fact !== undefined && fact !== '',
    );
    if (requested !== undefined) return /[?？]\s*$/.test(sentence) ? [] : [capitalised(requested)];
    const states =
      STATEMENTS.some((pattern) => pattern.test(sentence)) &&
      !NO_STATEMENT.some((pattern) => pattern.test(sentence));
    return states ? [sentence] : [];
  });
  return [...new Set(facts)].filter(({ length }) => length >= MIN_LENGTH && length <= MAX_LENGTH);
}

/** The sentences of a message without code, quotes of others, and links. */
function sentencesOf(message: string): string[] {
  const lines = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll(/`[^`\n]*`/g, ' ')
    .replaceAll(/https?:\/\/\S+/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*(?:>|\|)/.test(line));
  return lines
    .flatMap((line) => line.split(/(?<=[.!?。！？])\s+(?=\S)/u))
    .map((sentence) =>
      sentence
        .replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => sentence !== '');
}

function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}
