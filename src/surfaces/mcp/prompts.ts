import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { asLociError } from '../../core/fs/file-errors.ts';
import { runOperation } from '../../operations/run.ts';
import { parseInput } from '../../operations/shared/input.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { fence } from './results/fence.ts';
import { assertPermitted, type Permission } from './session.ts';
import { errorText, outputText } from './results/tool-result.ts';
import type { Toolbox } from './toolbox.ts';

type PromptArguments = Readonly<Record<string, string>>;

interface PromptContext {
  readonly toolbox: Toolbox;
  readonly context: OperationContext;
  readonly permission: Permission;
}

interface PromptEntry {
  /** The tool that the prompt needs. The prompt is listed where this tool is. */
  readonly tool: string;
  readonly prompt: Prompt & { readonly arguments: NonNullable<Prompt['arguments']> };
  readonly text: (given: PromptArguments, context: PromptContext) => Promise<string>;
}

const PROMPTS: readonly PromptEntry[] = [
  {
    tool: 'memory_search',
    prompt: {
      name: 'recall',
      title: 'Recall',
      description: 'Asks a question and adds what is remembered about it.',
      arguments: [{ name: 'question', description: 'What to ask, in plain words.', required: true }],
    },
    text: recallText,
  },
  {
    tool: 'memory_write',
    prompt: {
      name: 'remember',
      title: 'Remember',
      description: 'Asks the agent to write something down.',
      arguments: [{ name: 'what', description: 'What to remember.', required: true }],
    },
    text: async ({ what = '' }) =>
      'Store the text between the fences with memory_write: one record per thing, each understandable on its own, with a ' +
      'title and tags. Search with memory_search first, and do not write what is stored already.\n' +
      fence(what, 'remember'),
  },
];

/** @param tools the names of the tools that are listed */
export function listPrompts(tools: ReadonlySet<string>): Prompt[] {
  return PROMPTS.filter(({ tool }) => tools.has(tool)).map(({ prompt }) => prompt);
}

/** @throws ProtocolError for an unknown prompt, a missing argument, or an error of the search */
export async function getPrompt(
  name: string,
  given: PromptArguments,
  toolbox: Toolbox,
  context: OperationContext,
  permission: Permission,
): Promise<GetPromptResult> {
  const entry = PROMPTS.find(({ prompt }) => prompt.name === name);
  if (entry === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt ${JSON.stringify(name)}`);
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
  { toolbox, context, permission }: PromptContext,
): Promise<string> {
  const search = toolbox.byName.get('search');
  if (search === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, 'the search is missing');
  try {
    assertPermitted(permission, search, 'recall');
    const found = await runOperation(search, context, parseInput(search, { query: question }));
    return `${question}\n\nAnswer from what is remembered, and name the citations.\n${outputText('search', found)}`;
  } catch (error) {
    throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(asLociError(error)));
  }
}
