import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { sha256 } from '../../core/ids.ts';
import type { LociRecord, Span } from '../../core/types.ts';
import { LociError } from '../../core/errors.ts';
import { LEVELS, type Receipt, type ReceiptPiece } from '../../pack/receipt.ts';
import { shownText } from '../../pack/text/span.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { wholeCitations } from '../shared/citations.ts';
import {
  retentionCutoff,
  readable,
  rebuild,
  receiptId,
  receiptKind,
  recordsByUuid,
  requireReceipt,
} from './receipts.ts';
import { storedReceipts } from '../../store/items/kinds.ts';

const MAX_PROMPT_LENGTH = 16_000_000;

export const receiptVerifyInput = z.strictObject({
  id: receiptId()
    .exactOptional()
    .describe('The id of a receipt; without it, the receipts of what is in the prompt.'),
  prompt: z
    .string()
    .max(MAX_PROMPT_LENGTH)
    .exactOptional()
    .describe('A text that a model received, in which the pieces are found.'),
});

const PIECE_STATES = ['same', 'moved', 'changed', 'deleted', 'purged'] as const;

const bytes = () => z.strictObject({ start: count(), end: count() });

const piece = z.strictObject({
  record: z.uuid(),
  citation: z.string().nullable().describe('What `get` reads; null for a record that is deleted or gone.'),
  field: z.enum(['title', 'content']),
  level: z.enum(LEVELS),
  lines: z.strictObject({ from: count(), to: count() }).describe('Of the field, when the piece was taken.'),
  hash: z.string().describe('SHA-256 of the piece to which the line belongs.'),
  state: z
    .enum(PIECE_STATES)
    .describe(
      '`same`: the record has it where it was; `moved`: elsewhere; `changed`: not any more; `deleted`: the record can be ' +
        'restored; `purged`: the record is gone, and only its hash is known.',
    ),
  record_is_same: z.boolean().describe('Whether the whole content of the record is what it was.'),
  prompt: bytes().nullable().describe('Its bytes in the prompt; null if it is not there.'),
});

export const receiptVerifyOutput = z.strictObject({
  receipts: z.array(
    z.strictObject({
      id: z.uuid(),
      kind: receiptKind(),
      at: z.iso.datetime(),
      whole: z
        .boolean()
        .nullable()
        .describe('Whether the prompt has its whole text, byte for byte; null without a prompt.'),
      pieces: z.array(piece).describe('The lines of the pieces, in the order of the text.'),
    }),
  ),
  prompt_bytes: count().describe('Length of the prompt; 0 without one.'),
  from_records: count().describe('Bytes of the prompt that came from records.'),
});
export type ReceiptVerifyOutput = z.infer<typeof receiptVerifyOutput>;

/** Receipts that are compared with a prompt that has no whole text of one. */
const MAX_COMPARED = 50;

/**
 * Rebuilds each piece of a receipt from its record, says what changed since, and finds the pieces in a prompt.
 * @throws LociError `not_found`, `invalid_input` without an id and a prompt
 */
export async function verifyReceipt(
  context: EngineContext,
  { id, prompt }: z.infer<typeof receiptVerifyInput>,
): Promise<ReceiptVerifyOutput> {
  await expire(context);
  if (id === undefined && prompt === undefined)
    throw new LociError('invalid_input', 'there is neither a receipt nor a prompt to verify');
  const given = prompt === undefined ? null : promptOf(prompt);
  const receipts = id === undefined ? await receiptsIn(context, given!) : [await requireReceipt(context, id)];
  const verified: ReceiptVerifyOutput['receipts'] = [];
  for (const receipt of receipts) {
    const each = await verifyOne(context, receipt, given);
    // Without an id, the newest receipts are tried when no whole text was found.
    if (id !== undefined || each.pieces.some((piece) => piece.prompt !== null)) verified.push(each);
  }
  return {
    receipts: verified,
    prompt_bytes: given?.bytes.length ?? 0,
    from_records: coveredBytes(verified.flatMap(({ pieces }) => pieces.flatMap((each) => each.prompt ?? []))),
  };
}

interface Prompt {
  readonly bytes: Buffer;
  /** Where each text in a fence of Loci first begins, in bytes, by the hash that a receipt has of it. */
  readonly packs: ReadonlyMap<string, number>;
}

const FENCE = /<(loci-[a-z]+) id="([0-9a-f]{1,64})">[\s\S]*?<\/\1 id="\2">/gu;

function promptOf(prompt: string): Prompt {
  const packs = new Map<string, number>();
  for (const { 0: text, index } of prompt.matchAll(FENCE)) {
    const hash = sha256(text);
    if (!packs.has(hash)) packs.set(hash, Buffer.byteLength(prompt.slice(0, index)));
  }
  return { bytes: Buffer.from(prompt), packs };
}

async function receiptsIn(context: EngineContext, { packs }: Prompt): Promise<Receipt[]> {
  const { store, namespace } = context;
  const since = retentionCutoff(context);
  const page = { after: null, limit: 1 };
  const whole = await Promise.all(
    [...packs.keys()].map((hash) => storedReceipts(store.records, namespace, { since, hash }, page)),
  );
  const found = whole.flat();
  const receipts =
    found.length > 0
      ? found
      : await storedReceipts(store.records, namespace, { since }, { after: null, limit: MAX_COMPARED });
  return [...readable(receipts).receipts];
}

async function verifyOne(
  context: EngineContext,
  receipt: Receipt,
  prompt: Prompt | null,
): Promise<ReceiptVerifyOutput['receipts'][number]> {
  const records = await recordsByUuid(
    context,
    receipt.pieces.map(({ record }) => record),
  );
  const start = prompt?.packs.get(receipt.hash) ?? null;
  const parts = receipt.pieces.flatMap((piece) => partsOf(piece, records.get(piece.record), prompt, start));
  const places = prompt === null ? parts.map(() => null) : findPieces(prompt.bytes, parts, start);
  const live = [...records.values()].filter(({ deletedAt }) => deletedAt === null);
  const citations = new Map(
    (await wholeCitations(context, live)).map((citation, i) => [live[i]!.uuid, citation]),
  );
  return {
    ...{ id: receipt.id, kind: receipt.kind, at: receipt.at },
    whole: prompt === null ? null : start !== null,
    pieces: parts.map(({ piece, lines, ...part }, i) => {
      const record = records.get(piece.record);
      const { state, now } = stateOf({ piece, lines, ...part }, record);
      const citation = citations.get(piece.record) ?? null;
      const isLineOfFile = record?.origin === 'vault' && piece.field === 'content' && now !== null;
      return {
        record: piece.record,
        citation:
          citation !== null && isLineOfFile
            ? `${citation}#L${String(now.from)}-L${String(now.to)}`
            : citation,
        field: piece.field,
        level: piece.level,
        lines,
        hash: piece.hash,
        state,
        record_is_same: record?.contentHash === piece.content_hash,
        prompt: places[i] ?? null,
      };
    }),
  };
}

/** A line of a piece, or a whole piece of which no text is known. */
interface Part {
  readonly piece: ReceiptPiece;
  /** Its bytes in the text of the receipt. */
  readonly pack: Span;
  /** What it shows; `null` if the record no longer says it. */
  readonly shown: string | null;
  readonly lines: ReceiptPiece['lines'];
  /** The text as the record had it; `null` if it is not known any more. */
  readonly original: string | null;
  /** Whether the record has the whole piece where it was. */
  readonly isInPlace: boolean;
}

/** @param start where the whole text of the receipt begins in the prompt; `null` if the prompt does not have it */
function partsOf(
  piece: ReceiptPiece,
  record: LociRecord | undefined,
  prompt: Prompt | null,
  start: number | null,
): Part[] {
  const rebuilt = rebuild(piece, record);
  const whole = { piece, lines: piece.lines, pack: piece.pack, isInPlace: rebuilt !== null };
  const original = rebuilt ?? (prompt === null || start === null ? null : originalIn(prompt, start, piece));
  if (original === null) return [{ ...whole, original, shown: null }];
  const [lines, shown] = [original.split('\n'), shownText(original).split('\n')];
  if (lines.length !== shown.length) return [{ ...whole, original, shown: shownText(original) }];
  let at = piece.pack.start;
  return lines.flatMap((line, i) => {
    const pack = { start: at, end: at + Buffer.byteLength(shown[i]!) };
    at = pack.end + 1;
    const number = piece.lines.from + i;
    const part = { ...whole, lines: { from: number, to: number }, pack, original: line, shown: shown[i]! };
    return line.trim() === '' ? [] : [part];
  });
}

/** The piece as the prompt has it, if its hash shows that nothing was left out of it. */
function originalIn({ bytes }: Prompt, start: number, { pack, hash }: ReceiptPiece): string | null {
  const text = bytes.subarray(start + pack.start, start + pack.end).toString();
  return sha256(text) === hash ? text : null;
}

function stateOf(
  { piece, lines, original, isInPlace }: Part,
  record: LociRecord | undefined,
): { readonly state: (typeof PIECE_STATES)[number]; readonly now: ReceiptPiece['lines'] | null } {
  if (record === undefined) return { state: 'purged', now: null };
  if (record.deletedAt !== null) return { state: 'deleted', now: null };
  if (isInPlace && record.contentHash === piece.content_hash) return { state: 'same', now: lines };
  if (original === null) return { state: 'changed', now: null };
  const current = record[piece.field].split('\n');
  if (saysTheSame(current[lines.from - 1] ?? '', original)) return { state: 'same', now: lines };
  const line = current.findIndex((each) => saysTheSame(each, original)) + 1;
  return line === 0 ? { state: 'changed', now: null } : { state: 'moved', now: { from: line, to: line } };
}

/** The end of a sentence, with what may close around it. */
const SENTENCE_END = /[.!?:;…。！？：；]["'”’»)\]*_]*$/u;
/** What begins an item, a quotation or a row. */
const LINE_BEGINNING = /^[\s>*+#|\-\d.)[\]xX]*$/;

/** Whether a line has a text as whole sentences: words around it may turn its meaning into the opposite. */
function saysTheSame(line: string, text: string): boolean {
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const [before, after] = [line.slice(0, at).trimEnd(), line.slice(at + text.length).trim()];
    const begins = SENTENCE_END.test(before) || LINE_BEGINNING.test(before);
    if (begins && (after === '' || after === '|' || SENTENCE_END.test(text.trimEnd()))) return true;
  }
  return false;
}

/** Bytes in at least one of the spans. */
function coveredBytes(spans: readonly Span[]): number {
  let covered = 0;
  let end = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    covered += Math.max(0, span.end - Math.max(span.start, end));
    end = Math.max(end, span.end);
  }
  return covered;
}

/** A shorter text, such as a title of one word, may be in a prompt by chance: it is found only near other pieces. UTF-16 code units. */
const MIN_ALONE = 16;

/**
 * Where the pieces of a receipt are in a prompt: UTF-8 bytes, end exclusive; `null` for those that are not in it.
 * @param start where the receipt's whole text begins in the prompt, in bytes: there, every piece is at its place; `null` without it
 */
function findPieces(prompt: Buffer, pieces: readonly Part[], start: number | null): (Span | null)[] {
  if (start !== null) return pieces.map(({ pack }) => ({ start: start + pack.start, end: start + pack.end }));
  // A text that was changed or cut still has its pieces in order, except where something else stands before them.
  let from = 0;
  const found = pieces.map(({ shown }): Span | null => {
    if (shown === null || shown === '') return null;
    const text = Buffer.from(shown);
    const next = prompt.indexOf(text, from);
    const at = next === -1 && shown.length >= MIN_ALONE ? prompt.indexOf(text) : next;
    if (at === -1) return null;
    from = at + text.length;
    return { start: at, end: at + text.length };
  });
  const isCertain = pieces.some(({ shown }, i) => found[i] !== null && (shown?.length ?? 0) >= MIN_ALONE);
  return isCertain ? found : found.map(() => null);
}
