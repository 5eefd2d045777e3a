import { messageOf } from '../../../core/errors.ts';
import { shortHash } from '../../../core/ids.ts';
import { dayText } from '../../../core/time/whole-day.ts';
import type { Timestamp } from '../../../core/types.ts';
import type { Source, SourceDocument, SourceItem, SourceProblem } from '../../../sources/source.ts';
import {
  firstLineInContext,
  type HostSessions,
  privateSessions,
  type Transcript,
  type TranscriptText,
} from '../host/sessions.ts';

/** The name of the source, which results show. */
export const CONVERSATIONS = 'conversations';

interface TranscriptsOptions {
  readonly agent: string;
  readonly sessions: HostSessions;
  readonly mask: (text: string) => Promise<string>;
}

/** What a transcript said on one day. */
interface Day {
  /** `SESSION/2026-11-26`; `SESSION/earlier/2026-11-26` if the session no longer has it in its context. */
  readonly key: string;
  readonly day: string;
  readonly content: string;
  readonly lastAt: Timestamp;
}

/** What was said in a transcript. */
interface Spoken extends Pick<Listing, 'hasOthers'> {
  readonly days: readonly Day[];
}

/** The days of a transcript, as long as it does not change. */
interface Listing {
  readonly revision: string;
  readonly items: readonly SourceItem[];
  /** Whether somebody else than the owner has spoken. */
  readonly hasOthers: boolean;
}

/**
 * The private conversations of the owner with an agent, as documents: one for each session and day. The host keeps them, and nothing is
 * written there. The object is used again for later refreshes: only transcripts that have changed are read.
 */
export class Transcripts implements Source {
  readonly name = CONVERSATIONS;
  readonly origin = 'vault';
  readonly trust = 'agent';
  /** Messages from before are left out. */
  since: Timestamp = 0;
  /** Documents of days before this one are left out: `2026-08-28`. */
  firstDay = '';
  readonly #options: TranscriptsOptions;
  /** By session. */
  #listings: ReadonlyMap<string, Listing> = new Map();
  /** The sessions whose transcripts could not be read; `null` before the first listing is complete. */
  #unread: ReadonlySet<string> | null = null;
  /** The transcript of each document of the last listing. */
  readonly #transcripts = new Map<string, Transcript>();
  /** The transcript that was read last: its days are read one after another. */
  #last: { readonly transcript: Transcript; readonly days: readonly Day[] } | null = null;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
  }

  /** How many documents have what a session has in its context. */
  countInContext(sessionId: string): number {
    return this.#listings.get(sessionId)?.items.filter(({ key }) => isInContext(key, sessionId)).length ?? 0;
  }

  /** Whether somebody else than the owner may have spoken in a session: also if its transcript was not read yet, or cannot be. */
  mayHaveOthers(sessionId: string): boolean {
    if (this.#unread === null || this.#unread.has(sessionId)) return true;
    return this.#listings.get(sessionId)?.hasOthers ?? false;
  }

  async *list(report: (problem: SourceProblem) => void): AsyncGenerator<SourceItem> {
    const { agent, sessions } = this.#options;
    const isReadable = readableTranscripts(agent, privateSessions(agent, await sessions.entries(agent)));
    const listings = new Map<string, Listing>();
    const unread = new Set<string>();
    this.#transcripts.clear();
    this.#last = null;
    for (const transcript of await sessions.transcripts(agent)) {
      if (!isReadable(transcript) || (transcript.updatedAtMs ?? Infinity) < this.since) continue;
      const { sessionId, contentRevision = '' } = transcript;
      const id =
        transcript.artifactKind === 'archive-artifact' ? `${sessionId}/${transcript.sessionFile}` : sessionId;
      const revision = `${contentRevision} ${String(this.since)}`;
      const before = this.#listings.get(id);
      const isCurrent = before?.revision === revision && contentRevision !== '';
      const listing = isCurrent ? before : await this.#listingOf(transcript, revision, report);
      if (listing === null) {
        unread.add(sessionId);
        continue;
      }
      listings.set(id, listing);
      for (const item of listing.items) {
        if (this.#transcripts.has(item.key) || item.key.slice(-this.firstDay.length) < this.firstDay)
          continue;
        this.#transcripts.set(item.key, transcript);
        yield item;
      }
    }
    this.#listings = listings;
    this.#unread = unread;
  }

  async read({ key }: SourceItem): Promise<SourceDocument | null> {
    const transcript = this.#transcripts.get(key);
    if (transcript === undefined) return null;
    if (this.#last?.transcript !== transcript)
      this.#last = { transcript, days: (await this.#read(transcript)).days };
    const found = this.#last.days.find((each) => each.key === key);
    if (found === undefined) return null;
    const { sessionKey = '', sessionId } = transcript;
    return {
      key,
      revision: itemOf(found).revision,
      identity: null,
      project: null,
      category: 'conversation',
      recordType: 'conversation',
      title: '',
      tags: [],
      content: await this.#options.mask(found.content),
      metadata: { date: found.day, session: sessionKey, session_id: sessionId },
      createdAt: found.lastAt,
      updatedAt: found.lastAt,
    };
  }

  /** `null` if the host cannot read it now: its records stay as they are. */
  async #listingOf(
    transcript: Transcript,
    revision: string,
    report: (problem: SourceProblem) => void,
  ): Promise<Listing | null> {
    try {
      const { days, hasOthers } = await this.#read(transcript);
      return { revision, items: days.map(itemOf), hasOthers };
    } catch (error) {
      report({ key: transcript.sessionId, reason: 'unreadable', detail: messageOf(error), skipped: true });
      return null;
    }
  }

  async #read(transcript: Transcript): Promise<Spoken> {
    const { agent, sessions } = this.#options;
    const text = await sessions.read(agent, transcript);
    if (text === null || text.generatedByCronRun === true || text.generatedByDreamingNarrative === true)
      return { days: [], hasOthers: false };
    const isArchived = transcript.artifactKind !== 'active-session';
    return spokenIn(text, transcript.sessionId, this.since, isArchived ? Infinity : firstLineInContext(text));
  }
}

/** Whether a document is what its session has in its context. */
export function isInContext(key: string, sessionId: string): boolean {
  return key.startsWith(`${sessionId}/`) && !key.startsWith(`${sessionId}/${EARLIER}`);
}

const EARLIER = 'earlier/';

function itemOf({ key, content, lastAt }: Day): SourceItem {
  return { key, revision: shortHash(`${String(lastAt)}\n${content}`), bytes: content.length };
}

/** Archives of sessions that were reset; those of deleted sessions have another name. */
const RESET_ARCHIVE = /\.jsonl\.reset\./;

/** Which transcripts are private conversations that a person has had, and not deleted. */
function readableTranscripts(
  agent: string,
  privateKeys: ReadonlySet<string>,
): (transcript: Transcript) => boolean {
  return ({ artifactKind, sessionFile, sessionKey, sessionKind, ...generated }) =>
    sessionKey !== undefined &&
    privateKeys.has(sessionKey) &&
    (artifactKind !== 'archive-artifact' || RESET_ARCHIVE.test(sessionFile)) &&
    // The host does not know the kind of an archive, but marks what a schedule has generated when it reads it.
    (sessionKind === 'interactive' || (artifactKind === 'archive-artifact' && sessionKind === 'unknown')) &&
    generated.generatedByCronRun !== true &&
    generated.generatedByDreamingNarrative !== true;
}

/**
 * What the owner and the agent have said in a transcript, by day. A day on which somebody else has spoken is left out, and so are
 * answers to messages that no person wrote and answers that the agent has made of web pages.
 * @param firstInContext the first line of the transcript that its session has in its context
 */
function spokenIn(
  { content, lineMap, lineProvenance }: TranscriptText,
  sessionId: string,
  since: Timestamp,
  firstInContext: number,
): Spoken {
  const days = new Map<string, { readonly day: string; readonly lines: string[]; lastAt: Timestamp }>();
  const withOthers = new Set<string>();
  content.split('\n').forEach((line, i) => {
    const { originClass, observedAt } = lineProvenance[i] ?? { originClass: 'untrusted', observedAt: 0 };
    const day = dayText(observedAt);
    if (line.startsWith('User: ') && originClass === 'untrusted') withOthers.add(day);
    if ((originClass !== 'owner' && originClass !== 'agent') || observedAt < since) return;
    const key = `${sessionId}/${(lineMap[i] ?? 0) < firstInContext ? EARLIER : ''}${day}`;
    const known = days.get(key) ?? { day, lines: [], lastAt: 0 };
    known.lines.push(line);
    known.lastAt = Math.max(known.lastAt, observedAt);
    days.set(key, known);
  });
  const own = [...days].flatMap(([key, { day, lines, lastAt }]) =>
    withOthers.has(day) ? [] : [{ key, day, content: lines.join('\n'), lastAt }],
  );
  return { days: own, hasOthers: withOthers.size > 0 };
}
