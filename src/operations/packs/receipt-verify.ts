import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import {
  PIECE_STATES,
  type VerifiedPiece,
  type VerifyResponse,
  verifyReceipt,
} from '../../engine/packs/verify-receipt.ts';
import { LEVELS } from '../../pack/receipt.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import { receiptId, receiptKind } from './receipt-fields.ts';

const MAX_PROMPT_LENGTH = 16_000_000;

const input = z.strictObject({
  id: receiptId()
    .exactOptional()
    .describe('The id of a receipt; without it, the receipts of what is in the prompt.'),
  prompt: z
    .string()
    .max(MAX_PROMPT_LENGTH)
    .exactOptional()
    .describe('A text that a model received, in which the pieces are found.'),
  prompt_file: localPath().exactOptional().describe('A file with that text; `-` is standard input.'),
});
type VerifyInput = z.infer<typeof input>;

const count = () => z.number().int().nonnegative();
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

const output = z.strictObject({
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
export type ReceiptVerifyOutput = z.infer<typeof output>;

export const receiptVerifyOperation: Operation<typeof input, typeof output> = {
  name: 'receipt-verify',
  title: 'Verify a receipt',
  description:
    'Rebuilds each piece of a receipt from its record, and says what has changed since. With a prompt, says which of its bytes ' +
    'came from which lines of which record.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['prompt_file'],
  examples: [
    {
      title: 'What changed since',
      input: { id: 'latest' },
    },
    { title: 'Where the text of a prompt came from', input: { prompt_file: '~/prompt.txt' } },
  ],
  run: async (context, given) => {
    const { id } = given;
    const prompt = await promptOf(context, given);
    const loci = await context.loci();
    const response = await verifyReceipt(loci, {
      ...(id !== undefined && { id }),
      ...(prompt !== undefined && { prompt }),
    });
    return outputOf(response);
  },
};

async function promptOf(
  context: OperationContext,
  { prompt, prompt_file: file }: VerifyInput,
): Promise<string | undefined> {
  if (file === undefined) return prompt;
  if (prompt !== undefined)
    throw new LociError('invalid_input', 'the prompt is given twice: as a text and as a file');
  const machine = requireLocalIo(context, 'prompt_file');
  if (file === '-') return machine.readInput();
  const path = resolve(expandHome(file));
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LociError('unreadable', `${path}: ${describeFileError(error)}`, { cause: error });
  }
}

function outputOf({ receipts, promptBytes, fromRecords }: VerifyResponse): ReceiptVerifyOutput {
  return {
    receipts: receipts.map(({ receipt, isWhole, pieces }) => {
      const { id, kind, at } = receipt;
      return { id, kind, at, whole: isWhole, pieces: pieces.map(pieceOf) };
    }),
    prompt_bytes: promptBytes,
    from_records: fromRecords,
  };
}

function pieceOf({
  piece: { record, field, level, hash },
  lines,
  state,
  recordIsSame,
  citation,
  prompt,
}: VerifiedPiece): z.infer<typeof piece> {
  return { record, citation, field, level, lines, hash, state, record_is_same: recordIsSame, prompt };
}
