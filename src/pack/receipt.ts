import { z } from 'zod';
import { count } from '../core/number-fields.ts';

/** Grows when a field changes its meaning or goes away; a reader refuses versions that it does not know. */
export const RECEIPT_VERSION = 1;

/** What a receipt is about: the text that an operation returned, or that a hook put into a prompt (`recall`). */
export const RECEIPT_KINDS = ['pack', 'graph_index', 'graph_pack', 'recall'] as const;

/**
 * How much of a record a piece shows: L0 is one line, L1 a summary of its own sentences, L2 text around what matches the
 * query.
 */
export const LEVELS = ['L0', 'L1', 'L2'] as const;
export type Level = (typeof LEVELS)[number];

/** `late` ran past its deadline, `partial` answered in part before it, `off` was not asked. */
const LANE_STATUS = ['answered', 'partial', 'late', 'failed', 'off'] as const;

/** Why a candidate is not in the pack. */
export const EXCLUSIONS = ['budget', 'duplicate', 'threshold', 'secret', 'gone', 'prompt'] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

export const VERDICTS = ['useful', 'not-useful'] as const;

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/);
const range = () =>
  z.strictObject({
    start: count().describe('From 0.'),
    end: count().describe('Exclusive.'),
  });

export const lines = () =>
  z.strictObject({
    from: z.number().int().min(1).describe('From 1.'),
    to: z.number().int().min(1).describe('Inclusive.'),
  });

const caller = z.strictObject({
  actor: z.string().describe('The subject of a token, or the program on this machine.'),
  surface: z.string().describe('`mcp`, `rest`, `cli`, `openclaw` …'),
});

const budget = z.strictObject({
  tokens: count().describe('The budget of the request.'),
  used: count().describe('Tokens of the whole text, fence included; never more than the budget.'),
  tokenizer: z.string().describe('The vocabulary with which tokens are counted.'),
});

const lane = z.strictObject({
  name: z.string().describe('`search`, `related`, `graph` …'),
  status: z
    .enum(LANE_STATUS)
    .describe('`late` ran past its deadline, `partial` answered in part before it, `off` was not asked.'),
  took_ms: count(),
  candidates: count().describe('Candidates that only this lane, or this lane first, has found.'),
  failure: z.string().nullable().describe('A code of the error table; `null` unless the lane failed.'),
});

const step = z.strictObject({
  from: z.string().describe('The id of a node.'),
  to: z.string().describe('The id of a node.'),
  type: z.string().describe('The type of the edge.'),
  record: z.uuid().nullable().describe('The record that says so.'),
  lines: lines().nullable().describe('Where it says so.'),
  hash: sha256().nullable().describe('Of these lines.'),
});

const candidate = z.strictObject({
  record: z.uuid(),
  lane: z.string().describe('The lane that found it first.'),
  score: z.number(),
  included: z.boolean(),
  reason: z.enum(EXCLUSIONS).nullable().describe('Why it is not in the text; `null` for what is in it.'),
  path: z.array(step).nullable().describe('The edges that led to it; `null` for a direct result.'),
  verdict: z.enum(VERDICTS).exactOptional().describe('Whether it was useful, where the operator said so.'),
});

const piece = z.strictObject({
  candidate: count().describe('Its position among the candidates.'),
  record: z.uuid(),
  id: count().describe('The number of the record in its store.'),
  field: z
    .enum(['title', 'content'])
    .describe('The field of the record that has the piece. Byte ranges and lines count within it.'),
  passage: count()
    .nullable()
    .describe('The ordinal of the passage that led to the piece; `null` for a summary.'),
  level: z.enum(LEVELS),
  bytes: range().describe('In the UTF-8 text of the field.'),
  lines: lines(),
  hash: sha256().describe('Of these bytes of the field.'),
  content_hash: sha256().describe('Of the whole content of the record when the piece was taken.'),
  pack: range().describe('In the UTF-8 bytes of the pack.'),
});

/**
 * What was returned to an agent, and why: ids, numbers, hashes and reasons, never content, and the text of the query only where the
 * operator adds it, so that it can be kept and shown where the memory itself may not.
 *
 * A piece is one contiguous range of its field. Its text in the pack is `shownText` of that range, so that whoever has the
 * record can make every byte between `pack.start` and `pack.end` again. What is between the pieces (fence, citations, dates,
 * marks where something is left out) is written by Loci.
 */
export const receiptSchema = z.strictObject({
  version: z.literal(RECEIPT_VERSION),
  id: z.uuid(),
  kind: z.enum(RECEIPT_KINDS),
  at: z.iso.datetime().describe('When the text was made, in UTC.'),
  query_hash: sha256().nullable().describe('Of the query’s UTF-8 text; `null` where there is none.'),
  query: z.string().exactOptional().describe('The query, where the operator gave it with a verdict.'),
  marked_at: z.iso.datetime().exactOptional().describe('When the operator gave the last verdict.'),
  project: z.string().nullable().describe('The project to which the request was limited.'),
  caller: caller.exactOptional().describe('Who was given the text; absent in receipts of earlier versions.'),
  budget,
  lanes: z.array(lane),
  candidates: z.array(candidate).describe('Best first.'),
  pieces: z.array(piece).describe('In the order of the pack.'),
  hash: sha256().describe('Of the UTF-8 bytes of the whole text.'),
  bytes: count().describe('Length of the whole text.'),
});

export type Receipt = z.infer<typeof receiptSchema>;
export type ReceiptLane = z.infer<typeof lane>;
export type ReceiptCandidate = z.infer<typeof candidate>;
export type ReceiptPiece = z.infer<typeof piece>;
