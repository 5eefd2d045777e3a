import { LociError } from '../../../core/errors.ts';
import { sha256, uuidv7 } from '../../../core/ids.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { Loci } from '../../../engine/open.ts';
import {
  RECEIPT_VERSION,
  type Receipt,
  type ReceiptCandidate,
  type ReceiptPiece,
} from '../../../pack/receipt.ts';
import { shownText, sourceRange } from '../../../pack/text/span.ts';
import type { Turn } from '../host/turn.ts';
import { splitCitation } from '../../../operations/records/merge-results.ts';
import type { GatewayEngine } from './engine.ts';
import { requireReadable } from './grant.ts';

/** A text that was put before a message of the user, and what it is made of. */
export interface Recalled {
  readonly message: string;
  /** The whole text, with its fence. */
  readonly text: string;
  /** What was found, best first. */
  readonly found: readonly FoundPassage[];
  /** The maximum length of the passages in the text, in characters. */
  readonly maxChars: number;
  readonly tookMs: number;
}

interface FoundPassage {
  readonly citation: string;
  readonly score: number;
  /** Its place in the text, from 0; `null` for one that is not in it. */
  readonly place: number | null;
  /** Why it is not in the text. */
  readonly reason: ReceiptCandidate['reason'];
}

/**
 * Stores a receipt of a recalled text in each namespace that it comes from, with what is of that namespace: namespaces do not know the
 * records of each other.
 */
export async function recordRecall(engine: GatewayEngine, turn: Turn, recalled: Recalled): Promise<void> {
  const grant = engine.grant(turn);
  const readable = requireReadable(grant);
  const located = recalled.found.map((passage) => ({
    ...splitCitation(passage.citation, readable, grant.shared),
    passage,
  }));
  for (const [namespace, own] of Map.groupBy(located, (each) => each.namespace)) {
    const loci = await engine.loci(namespace);
    loci.receipts.record(() => receiptOf(loci, own, recalled));
  }
}

interface Located {
  readonly citation: string;
  readonly passage: FoundPassage;
}

async function receiptOf(loci: Loci, located: readonly Located[], recalled: Recalled): Promise<Receipt> {
  const { text, message, maxChars, tookMs } = recalled;
  const blocks = blocksOf(text);
  const candidates: ReceiptCandidate[] = [];
  const pieces: ReceiptPiece[] = [];
  for (const { citation, passage } of located) {
    const record = await recordAt(loci, citation);
    if (record === null) continue;
    const block = passage.place === null ? undefined : blocks[passage.place];
    if (block !== undefined) pieces.push(...piecesOf(record, block, candidates.length));
    const { score, reason } = passage;
    candidates.push({
      record: record.uuid,
      lane: 'search',
      score,
      included: block !== undefined,
      reason: block === undefined ? (reason ?? 'budget') : null,
      path: null,
    });
  }
  const now = Date.now();
  return {
    version: RECEIPT_VERSION,
    id: uuidv7(now),
    kind: 'recall',
    at: new Date(now).toISOString(),
    query_hash: sha256(message),
    project: null,
    // The settings limit the characters of the passages.
    budget: {
      tokens: maxChars,
      used: Math.min(
        maxChars,
        blocks.reduce(
          (sum, { lines }) => sum + lines.reduce((length, line) => length + line.text.length, 0),
          0,
        ),
      ),
      tokenizer: 'characters',
    },
    lanes: [
      { name: 'search', status: 'answered', took_ms: tookMs, candidates: candidates.length, failure: null },
    ],
    candidates,
    pieces,
    hash: sha256(text),
    bytes: Buffer.byteLength(text),
  };
}

type KnownRecord = Pick<LociRecord, 'id' | 'uuid' | 'content' | 'contentHash'>;

/** `null` for a run of a tool, and for a record that has gone meanwhile. */
async function recordAt(loci: Loci, citation: string): Promise<KnownRecord | null> {
  try {
    const { record } = await loci.get(citation.replace(/#L\d+(?:-L?\d+)?$/, ''));
    const { id, uuid, content } = record;
    return id === null || uuid === null ? null : { id, uuid, content, contentHash: sha256(content) };
  } catch (error) {
    if (error instanceof LociError) return null;
    throw error;
  }
}

/** The lines of a passage in the text, without the mark before each of them. */
interface Block {
  readonly lines: readonly { readonly text: string; readonly start: number }[];
}

const MARK = '| ';
const ELLIPSES = /^…|…$/gu;

/** The passages of a recalled text, with the byte at which each line begins. */
function blocksOf(text: string): Block[] {
  const blocks: { text: string; start: number }[][] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('[')) blocks.push([]);
    else if (line.startsWith(MARK))
      blocks.at(-1)?.push({ text: line.slice(MARK.length), start: at + MARK.length });
    at += Buffer.byteLength(line) + 1;
  }
  return blocks.map((lines) => ({ lines }));
}

/** The lines that the record has as they stand. Others are properties, or have characters that are not shown. */
function piecesOf(
  { id, uuid, content, contentHash }: KnownRecord,
  { lines }: Block,
  candidate: number,
): ReceiptPiece[] {
  let from = 0;
  return lines.flatMap(({ text, start }): ReceiptPiece[] => {
    const shown = text.replaceAll(ELLIPSES, '');
    const after = content.indexOf(shown, from);
    const at = after === -1 ? content.indexOf(shown) : after;
    if (shown.trim() === '' || at === -1 || shownText(shown) !== shown) return [];
    from = at + shown.length;
    const first = start + (text.startsWith('…') ? Buffer.byteLength('…') : 0);
    return [
      {
        candidate,
        record: uuid,
        id,
        field: 'content',
        passage: null,
        level: 'L2',
        ...sourceRange(content, { start: at, end: from }),
        content_hash: contentHash,
        pack: { start: first, end: first + Buffer.byteLength(shown) },
      },
    ];
  });
}
