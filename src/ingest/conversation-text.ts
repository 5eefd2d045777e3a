import { shortHash } from '../core/ids.ts';
import type { Timestamp } from '../core/types.ts';
import type { Message } from '../sources/conversation.ts';

/** A message as a record has it. */
export interface Turn {
  /** Identifies the message in its conversation. */
  readonly digest: string;
  readonly role: Message['role'];
  readonly text: string;
}

const HEADINGS: Readonly<Record<Message['role'], string>> = { user: '# User', assistant: '# Assistant' };
const GAP = '\n\n';

export function turnOf({ id, role, text }: Message): Turn {
  return { digest: turnDigest(id), role, text: enclosed(text) };
}

/** The text of a record: the turns in order, with a heading where another role begins, so that no passage has both. */
export function textOfTurns(turns: readonly Turn[]): string {
  return turns.map(({ role, text }, i) => headingAt(turns, i, role) + text).join(GAP);
}

function headingAt(turns: readonly Pick<Turn, 'role'>[], index: number, role: Message['role']): string {
  return turns[index - 1]?.role === role ? '' : HEADINGS[role] + GAP;
}

/** What a record keeps of itself in `revision`, to be compared with the conversation when that is read again. */
export interface StoredState {
  /** Hash of what the record was made from. */
  readonly made: string;
  /** When the conversation was changed last, as the program said. */
  readonly updatedAt: Timestamp;
  readonly turns: readonly (Pick<Turn, 'digest' | 'role'> & { readonly length: number })[];
}

const FORMAT = 'c1';
const DIGEST_LENGTH = 12;

/** The id of a message in the form in which revisions have it. */
export function turnDigest(id: string): string {
  return shortHash(id).slice(0, DIGEST_LENGTH);
}

export function formatState({ made, updatedAt }: Omit<StoredState, 'turns'>, turns: readonly Turn[]): string {
  const listed = turns.map(
    ({ role, digest, text }) => `${role.charAt(0)}${digest}${text.length.toString(36)}`,
  );
  return [FORMAT, made, updatedAt.toString(36), ...listed].join(' ');
}

/** `null` for a revision that this version has not written. */
export function parseState(revision: string | null): StoredState | null {
  const [format, made = '', updatedAt = '', ...listed] = (revision ?? '').split(' ');
  if (format !== FORMAT) return null;
  const turns = listed.map((each) => ({
    role: each.startsWith('u') ? ('user' as const) : ('assistant' as const),
    digest: each.slice(1, 1 + DIGEST_LENGTH),
    length: parseInt(each.slice(1 + DIGEST_LENGTH), 36),
  }));
  return { made, updatedAt: parseInt(updatedAt, 36), turns };
}

/** The turns of a stored text; none if it is not the one of its state. */
export function storedTurns(content: string, { turns }: StoredState): Turn[] {
  let at = 0;
  const found = turns.map(({ role, digest, length }, i) => {
    const start = at + headingAt(turns, i, role).length;
    at = start + length + GAP.length;
    return { role, digest, text: content.slice(start, start + length) };
  });
  return textOfTurns(found) === content ? found : [];
}

/**
 * The turns of an export together with those stored ones that it lacks, each after the one that it followed. An export is no mirror: what
 * it lacks may be in an older one only.
 * @param superseded digests of messages that the export has and does not show
 */
export function mergeTurns(
  given: readonly Turn[],
  stored: readonly Turn[],
  superseded: ReadonlySet<string>,
): Turn[] {
  const digests = new Set(given.map(({ digest }) => digest));
  const following = new Map<string, Turn[]>();
  let previous = '';
  for (const turn of stored) {
    if (digests.has(turn.digest)) previous = turn.digest;
    if (digests.has(turn.digest) || superseded.has(turn.digest)) continue;
    const after = following.get(previous) ?? [];
    following.set(previous, after);
    after.push(turn);
  }
  return [
    ...(following.get('') ?? []),
    ...given.flatMap((turn) => [turn, ...(following.get(turn.digest) ?? [])]),
  ];
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^( {0,3}#{1,5})(?=\s|$)/;
/** What would hide or swallow the lines after it: comments, and HTML that lasts until its end tag. */
const OPENING = /^( {0,3})(?=%%|<(?:[!?]|(?:script|pre|style|textarea)\b))/i;

/**
 * The text of a message so that it ends where the message ends when it is read as Markdown: its headings are below that of the turn, a
 * fence that is open at the end is closed, and comments are text.
 */
function enclosed(text: string): string {
  let fence = '';
  const lines = text.split('\n').map((line) => {
    const [, mark = ''] = FENCE.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    else return line;
    return mark === '' ? line.replace(HEADING, '$1#').replace(OPENING, '$1\\') : line;
  });
  return fence === '' ? lines.join('\n') : [...lines, fence].join('\n');
}
