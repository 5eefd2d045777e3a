import type { Config } from '../../config/schema.ts';
import { cutOffset, lastSentenceEnd } from '../../core/text/cut-offset.ts';
import type { StartupEntry } from '../../store/admin-model.ts';

const SEPARATOR = '\n\n';
/** Stands where the rest of an entry is missing. */
const CUT_MARK = '[… cut]';
/** A paragraph that ends before this share of the room is not used if a later sentence ends within the room. */
const MIN_PARAGRAPH_SHARE = 0.5;
/** Entries of this priority are never left out whole, unless the budget has no character for each. */
const GUARANTEED_PRIORITY = 0;

export interface IncludedEntry {
  readonly entry: StartupEntry;
  /** The content, or its beginning with a mark where it was cut. */
  readonly text: string;
}

export interface OmittedEntry {
  readonly entry: StartupEntry;
  readonly why: string;
  /** Whether it did not fit into the budget. */
  readonly tooLong: boolean;
}

export interface Packed {
  readonly included: readonly IncludedEntry[];
  readonly leftOut: readonly OmittedEntry[];
}

/** The budget of the longest part of the model's name that has one. The case of letters does not matter. */
export function budgetFor(settings: Config['startup'], model: string | undefined): number {
  const name = model?.toLowerCase() ?? '';
  const parts = Object.keys(settings.maxCharsByModel).filter((part) => name.includes(part.toLowerCase()));
  const [longest] = parts.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (longest === undefined ? undefined : settings.maxCharsByModel[longest]) ?? settings.maxChars;
}

/** Why an entry does not fit into the budget of most models; `null` when it fits. */
export function whyTooLong(settings: Config['startup'], { content }: StartupEntry): string | null {
  const budget = budgetFor(settings, undefined);
  if (content.length <= budget) return null;
  const lengths = `it has ${String(content.length)} characters and startup.maxChars is ${String(budget)}`;
  return `${lengths}: agents do not get all of it`;
}

export function joinTexts(included: readonly IncludedEntry[]): string {
  return included.map(({ text }) => text).join(SEPARATOR);
}

/**
 * Adds entries in order of priority. One that does not fit is cut, and no entry of a lower priority follows it. The entries of
 * priority 0 each have an equal share of the budget for certain, and get what the others of them do not need.
 *
 * @param entries in order of priority
 */
export function packStartup(entries: readonly StartupEntry[], budget: number): Packed {
  const included: IncludedEntry[] = [];
  const leftOut: OmittedEntry[] = [];
  const reserved = reservations(entries, budget);
  let reservedLeft = reserved.reduce((sum, length) => sum + length, 0);
  let used = 0;
  let lowestPriority = Infinity;
  for (const [index, entry] of entries.entries()) {
    if (entry.priority > lowestPriority) {
      const why = `an entry of priority ${String(lowestPriority)} did not fit, so that no entry of a lower priority is given`;
      leftOut.push({ entry, why, tooLong: true });
      continue;
    }
    reservedLeft -= reserved[index] ?? 0;
    const separator = included.length === 0 ? 0 : SEPARATOR.length;
    const room = budget - used - separator - reservedLeft;
    const text = fit(entry, room);
    if (text !== entry.content) lowestPriority = entry.priority;
    if (text === null) {
      const why = `it has ${String(entry.content.length)} characters, and ${String(Math.max(0, room))} of ${String(budget)} are left`;
      leftOut.push({ entry, why, tooLong: true });
    } else {
      included.push({ entry, text });
      used += separator + text.length;
    }
  }
  return { included, leftOut };
}

/** How many characters are kept free for each entry of priority 0, with the separator before it. */
function reservations(entries: readonly StartupEntry[], budget: number): readonly number[] {
  const guaranteed = entries.filter(({ priority }) => priority === GUARANTEED_PRIORITY);
  const separators = SEPARATOR.length * Math.max(0, guaranteed.length - 1);
  const share = Math.max(0, Math.floor((budget - separators) / guaranteed.length));
  return guaranteed.map(({ content }) => Math.min(content.length, share) + SEPARATOR.length);
}

/** The content, or what fits of it; `null` when nothing does. */
function fit({ content, priority }: StartupEntry, room: number): string | null {
  if (content.length <= room) return content;
  const cut = cutAtParagraph(content, room) ?? cutAtSentence(content, room);
  if (cut !== null || priority !== GUARANTEED_PRIORITY) return cut;
  return cutAnywhere(content, room);
}

/** Null also where cutting at a sentence keeps much more. */
function cutAtParagraph(content: string, room: number): string | null {
  const limit = room - SEPARATOR.length - CUT_MARK.length;
  const end = content.lastIndexOf('\n\n', limit);
  const kept = content.slice(0, Math.max(0, end)).trimEnd();
  const isShort = kept.length < limit * MIN_PARAGRAPH_SHARE;
  if (kept === '' || (isShort && cutAtSentence(content, room, kept.length) !== null)) return null;
  return `${kept}${SEPARATOR}${CUT_MARK}`;
}

/**
 * Cuts at the end of a line too, because the items of a list are rarely sentences.
 *
 * @param from where the sentence ends at the earliest
 */
function cutAtSentence(content: string, room: number, from = 0): string | null {
  const limit = room - 1 - CUT_MARK.length;
  if (limit <= from) return null;
  const end = Math.max(lastSentenceEnd(content, from, limit) ?? 0, content.lastIndexOf('\n', limit));
  const kept = content.slice(0, Math.max(0, end)).trimEnd();
  if (kept.length <= from) return null;
  return `${kept}${content[end] === '\n' ? '\n' : ' '}${CUT_MARK}`;
}

/** Cuts at a word, or between two characters. A room that the mark would fill gets an ellipsis instead. */
function cutAnywhere(content: string, room: number): string | null {
  const mark = room >= 3 * CUT_MARK.length ? ` ${CUT_MARK}` : '…';
  const limit = room - mark.length;
  if (limit <= 0) return null;
  const end = cutOffset(content, 0, limit, 'sentences');
  return end > limit ? null : `${content.slice(0, end).trimEnd()}${mark}`;
}
