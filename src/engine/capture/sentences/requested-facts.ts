import { ownWords } from './frames.ts';
import { isInstruction, isOnlyRequest, isRefusal, isStatement, requestedFact } from './requests.ts';
import { hasSecret, mayBeValue, namesSecret } from './secret-words.ts';
import { type Sentence, splitMessage } from './split-message.ts';

export interface RequestedFacts {
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
