import { cutOffset } from '../../core/text/cut-offset.ts';
import type { Span } from '../../core/types.ts';
import { trimSpan } from '../text/span.ts';
import type { SplitText } from './document.ts';

/** UTF-16 code units. */
const MAX_ABSTRACT = 200;
/** How many sentences may say what the text is. */
const LEAD_SENTENCES = 5;

/** A sentence that defines something, in English, German, Chinese and Japanese. */
const DEFINES = /\b(?:is|are|was|were|describes|explains|ist|sind|war|beschreibt|erklärt)\b|是|とは|である/iu;

/**
 * L0: the sentence that says what a text is. This is the description in front matter, else a sentence of the lead that defines the
 * title, else the first sentence. `null` for a text without one.
 */
export function abstractOf({ text, description, sentences }: SplitText, title: string): Span | null {
  if (description !== null) return shortened(text, description);
  const lead = sentences.filter(({ kind }) => kind === 'prose').slice(0, LEAD_SENTENCES);
  const name = title.toLowerCase();
  const defining = lead.find((span) => {
    const sentence = text.slice(span.start, span.end);
    return name !== '' && sentence.toLowerCase().includes(name) && DEFINES.test(sentence);
  });
  const chosen = defining ?? lead[0] ?? sentences.find(({ kind }) => kind !== 'heading' && kind !== 'code');
  return chosen === undefined ? null : shortened(text, chosen);
}

function shortened(text: string, { start, end }: Span): Span {
  const newline = text.indexOf('\n\n', start);
  const stop = newline < 0 ? end : Math.min(end, newline);
  if (stop - start <= MAX_ABSTRACT) return trimSpan(text, { start, end: stop });
  return trimSpan(text, { start, end: cutOffset(text, start, start + MAX_ABSTRACT, 'sentences') });
}
