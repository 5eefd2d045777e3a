import { memoryPack, packInput, packOutput } from '../../engine/packs/memory-pack.ts';
import { type OperationContext, operation, requireLocalIo, withNames } from '../operation.ts';
import {
  listReceipts,
  receiptListInput,
  receiptListOutput,
  showReceipt,
  receiptShowInput,
  receiptShowOutput,
  markReceipt,
  receiptMarkInput,
  receiptMarkOutput,
} from '../../engine/packs/receipts.ts';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { receiptVerifyInput, receiptVerifyOutput, verifyReceipt } from '../../engine/packs/verify-receipt.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { goldenInput, goldenOutput, runGolden } from '../../engine/golden/golden.ts';

const verifyInput = receiptVerifyInput.extend({
  prompt_file: localPath().exactOptional().describe('A file with that text; `-` is standard input.'),
});

export const packOperations = withNames({
  pack: operation({
    description:
      'Returns what is remembered about something as one text within a budget of tokens, with citations that `get` reads. ' +
      'For the beginning of work; `search` looks for one thing.',
    input: packInput,
    output: packOutput,
    kind: 'read',
    scope: 'read',
    tool: 'memory_pack',
    examples: [
      { title: 'Before work on something', input: { query: 'kitchen remodel' } },
      {
        title: 'With what is linked to the best results',
        input: { query: 'kitchen remodel', use_graph: true },
      },
      { title: 'A small budget', input: { query: 'kitchen remodel', budget: 500 } },
      {
        title: 'With the receipt, of one project',
        input: { query: 'who installs the oven', project: 'home', trace: true },
      },
    ],
    run: async (context, given) => {
      const loci = await context.loci();
      const pack = await memoryPack(loci, given, { signal: context.signal });
      return { ...pack, receipt: given.trace === true ? pack.receipt : null };
    },
  }),
  'receipt-list': operation({
    description: 'Lists what was given to agents: packs, graph indexes and recalled texts, newest first.',
    input: receiptListInput,
    output: receiptListOutput,
    kind: 'read',
    scope: 'admin',
    examples: [
      { title: 'The last receipts', input: {} },
      { title: 'What was recalled without a request', input: { kind: 'recall' } },
    ],
    run: async (context, given) => listReceipts(await context.loci(), given),
  }),
  'receipt-show': operation({
    description:
      'Shows which lanes were searched, which records were considered, which of their bytes were given to an agent, and why. ' +
      'A receipt has no content. Its schema is docs/receipt.schema.json.',
    input: receiptShowInput,
    output: receiptShowOutput,
    kind: 'read',
    scope: 'admin',
    examples: [{ title: 'The last one', input: { id: 'latest' } }],
    run: async (context, given) => showReceipt(await context.loci(), given),
  }),
  'receipt-verify': operation({
    description:
      'Rebuilds each piece of a receipt from its record, and says what has changed since. With a prompt, says which of its bytes ' +
      'came from which lines of which record.',
    input: verifyInput,
    output: receiptVerifyOutput,
    kind: 'read',
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
  }),
  'receipt-mark': operation({
    description:
      'Marks an item of a receipt as useful or not. A mark changes no ranking: `npm run eval -- --marks` scores the ranking with it.',
    input: receiptMarkInput,
    output: receiptMarkOutput,
    kind: 'write',
    scope: 'admin',
    examples: [{ title: 'The first item was useful', input: { id: 'latest', item: '1', verdict: 'useful' } }],
    run: async (context, given) => markReceipt(await context.loci(), given),
  }),
  golden: operation({
    description:
      'Runs the queries of a YAML file and says what they find differently from what the file expects: what is missing, what moved, what ' +
      'is new, recall and MRR. A query that expects nothing yet is recorded: the first results are written into the file. Run it before ' +
      'and after a change of the embedding model, of settings, or of Loci. The exit code is 1 when something expected is missing or a query ' +
      'fails.',
    input: goldenInput,
    output: goldenOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    examples: [
      { title: 'Record what the queries find, then compare', input: { file: '~/golden.yaml' } },
      { title: 'Record what they find now', input: { file: '~/golden.yaml', record: true } },
    ],
    run: async (context, { file, ...rest }) =>
      runGolden(await context.loci(), { ...rest, file: resolve(expandHome(file)) }, context),
  }),
});

async function promptOf(
  context: OperationContext,
  { prompt, prompt_file: file }: z.infer<typeof verifyInput>,
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
