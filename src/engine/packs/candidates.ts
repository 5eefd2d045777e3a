import type { LociRecord } from '../../core/types.ts';
import type { Candidate, PackRecord } from '../../pack/candidate.ts';
import { passageSpan } from '../../pack/candidate.ts';
import { HEAD_LENGTH } from '../../pack/items.ts';
import type { Span } from '../../pack/text/span.ts';
import type { Hit } from '../../search/rank/confidence.ts';
import { SECRET_DETECTION } from '../../secrets/detect.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../records/citations/citation.ts';

/** A hit and the lane that found it. */
export interface FoundHit {
  readonly hit: Pick<Hit, 'confidence'> & {
    readonly passage: Candidate['passage'] & { readonly record: Hit['passage']['record'] };
  };
  readonly lane: string;
  /** The path that led to it, and how it came in words; both `null` for a direct result. */
  readonly path: Candidate['path'];
  readonly via: Candidate['via'];
  readonly isBelowThreshold: boolean;
}

/** Loads the records of hits, finds their credentials, and makes candidates of them, in order. */
export async function candidatesOf(context: EngineContext, found: readonly FoundHit[]): Promise<Candidate[]> {
  const headers = found.map(({ hit }) => hit.passage.record);
  const ids = headers.map(({ id }) => id);
  const [records, citations] = await Promise.all([
    context.store.records.get(context.namespace, ids, { liveAt: context.now() }),
    wholeCitations(context, headers),
  ]);
  const byId = new Map<number, LociRecord>(records.map((record) => [record.id, record]));
  return Promise.all(
    found.map(async ({ hit: { passage, confidence }, isBelowThreshold, ...by }, i): Promise<Candidate> => {
      const record = byId.get(passage.record.id);
      const base = { passage, score: confidence, ...by, citation: citations[i]! };
      if (record === undefined)
        return { ...base, record: withoutText(passage.record), excluded: 'gone', secrets: [] };
      if (isBelowThreshold) return { ...base, record, excluded: 'threshold', secrets: [] };
      const { secrets, inTitle } = await credentialsOf(context, record, passageSpan(record.content, passage));
      return { ...base, record, excluded: inTitle ? 'secret' : null, secrets };
    }),
  );
}

function withoutText(header: Hit['passage']['record']): PackRecord {
  return { ...header, content: '', contentHash: NO_CONTENT };
}

/** The SHA-256 of nothing: it is in no piece of a receipt. */
const NO_CONTENT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A private key is shorter. UTF-16 code units. */
const MARGIN = 4000;

/**
 * The credentials in the title, at the beginning of a text, and in and near its passage: an item shows nothing else. A long text is not
 * searched as a whole, which would take 0.1 ms for each KB.
 */
async function credentialsOf(
  { thread }: EngineContext,
  { origin, title, content }: PackRecord,
  passage: Span,
): Promise<{ readonly secrets: readonly Span[]; readonly inTitle: boolean }> {
  const name = origin === 'fact' ? title : '';
  const detect = (text: string): Promise<readonly Span[]> =>
    thread.run(SECRET_DETECTION, [text, name], { size: text.length });
  const head = { start: 0, end: Math.min(content.length, HEAD_LENGTH + MARGIN) };
  const near = {
    start: Math.max(0, passage.start - MARGIN),
    end: Math.min(content.length, passage.end + MARGIN),
  };
  const ranges = near.start <= head.end ? [{ start: 0, end: Math.max(head.end, near.end) }] : [head, near];
  const [inTitle, ...inContent] = await Promise.all([
    thread.run(SECRET_DETECTION, [title], { size: title.length }),
    ...ranges.map(async ({ start, end }) =>
      (await detect(content.slice(start, end))).map((secret) => ({
        start: secret.start + start,
        end: secret.end + start,
      })),
    ),
  ]);
  return { secrets: inContent.flat(), inTitle: inTitle.length > 0 };
}
