import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { receiptVerifyInput, receiptVerifyOutput, verifyReceipt } from '../../engine/packs/verify-receipt.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { requireLocalIo } from '../shared/local-io.ts';

const input = receiptVerifyInput.extend({
  prompt_file: localPath().exactOptional().describe('A file with that text; `-` is standard input.'),
});

export const receiptVerifyOperation: Operation<typeof input, typeof receiptVerifyOutput> = {
  name: 'receipt-verify',
  title: 'Verify a receipt',
  description:
    'Rebuilds each piece of a receipt from its record, and says what has changed since. With a prompt, says which of its bytes ' +
    'came from which lines of which record.',
  input,
  output: receiptVerifyOutput,
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
    const prompt = await promptOf(context, given);
    const { prompt_file: _, ...rest } = given;
    return verifyReceipt(await context.loci(), { ...rest, ...(prompt !== undefined && { prompt }) });
  },
};

async function promptOf(
  context: OperationContext,
  { prompt, prompt_file: file }: z.infer<typeof input>,
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
