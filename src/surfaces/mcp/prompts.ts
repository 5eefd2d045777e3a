import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { asLociError } from '../../core/fs/file-errors.ts';
import { parseInput } from '../../operations/shared/input.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { fence } from './results/fence.ts';
import { type Permission, assertPermitted } from './permission.ts';
import { answerText, errorText } from './results/tool-result.ts';
import type { Toolbox } from './toolbox.ts';

type PromptArguments = Readonly<Record<string, string>>;

/** What a prompt may use. */
interface Lent {
  readonly toolbox: Toolbox;
  readonly context: OperationContext;
  readonly permission: Permission;
}

interface PromptEntry {
  readonly prompt: Prompt & { readonly arguments: NonNullable<Prompt['arguments']> };
  readonly text: (given: PromptArguments, lent: Lent) => Promise<string>;
}

const PROMPTS: readonly PromptEntry[] = [
  {
    prompt: {
      name: 'recall',
      title: 'Recall',
      description: 'Asks a question together with what is remembered about it.',
      arguments: [{ name: 'question', description: 'What to ask, in plain words.', required: true }],
    },
    text: recallText,
  },
  {
    prompt: {
      name: 'remember',
      title: 'Remember',
      description: 'Has something written down so that it is found again.',
      arguments: [{ name: 'what', description: 'What to remember.', required: true }],
    },
    text: async ({ what = '' }) =>
      'Remember what stands between the marks, with memory_write: one record for each thing, each so worded that it is ' +
      'understood alone, with a title and tags. Search with memory_search first, and write nothing that is there already.\n' +
      fence(what, 'remember'),
  },
];

export function listPrompts(): Prompt[] {
  return PROMPTS.map(({ prompt }) => prompt);
}

/** @throws ProtocolError for a prompt that is not there, an argument that is missing, and what the verbs throw */
export async function getPrompt(
  name: string,
  given: PromptArguments,
  toolbox: Toolbox,
  context: OperationContext,
  permission: Permission,
): Promise<GetPromptResult> {
  const entry = PROMPTS.find(({ prompt }) => prompt.name === name);
  if (entry === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${JSON.stringify(name)}`);
  for (const argument of entry.prompt.arguments) {
    if (argument.required === true && (given[argument.name] ?? '').trim() === '')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${argument.name} is missing`);
  }
  const text = await entry.text(given, { toolbox, context, permission });
  const { description = '' } = entry.prompt;
  return { description, messages: [{ role: 'user', content: { type: 'text', text: text.toWellFormed() } }] };
}

async function recallText(
  { question = '' }: PromptArguments,
  { toolbox, context, permission }: Lent,
): Promise<string> {
  const search = toolbox.byName.get('search');
  if (search === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, 'there is no search');
  try {
    assertPermitted(permission, search, 'recall');
    const found = await search.run(context, parseInput(search, { query: question }));
    return `${question}\n\nAnswer from what is remembered, and say where it stands.\n${answerText('search', found)}`;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(asLociError(error)));
  }
}
