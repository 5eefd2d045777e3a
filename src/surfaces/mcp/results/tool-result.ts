import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorCode, LociError } from '../../../core/errors.ts';
import {
  fence,
  jsonText,
  type ModelResult,
  type OperationResult,
  RECALLED_FIELDS_ARE_DATA,
  RECALLED_IS_DATA,
  safeMessage,
  withoutInvisibleTexts,
} from './model-result.ts';
import {
  getResult,
  graphPathResult,
  graphShowResult,
  listResult,
  packResult,
  startupResult,
  timelineResult,
} from './records.ts';
import { searchResult } from './search.ts';

const OWN_FIELDS: OperationResult = { resultOf: (fields: object) => ({ fields, writtenBy: 'loci' }) };
const RECALLED_FIELDS: OperationResult = {
  resultOf: (fields: object) => ({ fields, writtenBy: 'others' }),
};
const RESULTS: Readonly<Record<string, OperationResult>> = {
  search: searchResult,
  pack: packResult,
  'graph-index': packResult,
  'graph-pack': packResult,
  'graph-show': graphShowResult,
  'graph-path': graphPathResult,
  get: getResult,
  list: listResult,
  timeline: timelineResult,
  'startup-inject': startupResult,
  'fact-recall': RECALLED_FIELDS,
  'fact-list': RECALLED_FIELDS,
  // Keys of facts, and problems that quote documents, are texts that others wrote.
  'fact-categories': RECALLED_FIELDS,
  'sources-list': RECALLED_FIELDS,
  corpus: RECALLED_FIELDS,
};

function operationResult(operation: string): OperationResult {
  return (Object.hasOwn(RESULTS, operation) ? RESULTS[operation] : undefined) ?? OWN_FIELDS;
}

/** The JSON Schema types of the fields that models get, where they differ from those of the operation's output. */
export function resultTypes(operation: string): OperationResult['types'] {
  return operationResult(operation).types;
}

export function outputText(operation: string, output: unknown): string {
  return textOf(operationResult(operation).resultOf(output));
}

function textOf({ summary = [], fields, text = jsonText(lean(fields)), writtenBy }: ModelResult): string {
  const lines = summary.join('\n');
  if (writtenBy === 'others')
    return `${joined([lines, RECALLED_IS_DATA], ' ')}\n${fence(text, 'recalled')}`.toWellFormed();
  return joined([lines, text], '\n').toWellFormed();
}

/** Fields of outputs that tell a model nothing: durations, and offsets into a text that it reads as a whole. */
export const OMITTED_FIELDS: ReadonlySet<string> = new Set(['took_ms', 'highlights']);

/** An output as the result of a tool, as text and as structured content, without invisible characters. */
export function successResult(operation: string, output: unknown): CallToolResult {
  const result = operationResult(operation).resultOf(output);
  const { summary = [], fields, writtenBy } = result;
  // Some clients give their models only the structured content.
  const notice = joined([summary.join('\n'), writtenBy === 'others' ? RECALLED_FIELDS_ARE_DATA : ''], ' ');
  return {
    content: [{ type: 'text', text: textOf(result) }],
    structuredContent: {
      ...(notice !== '' && { notice: notice.toWellFormed() }),
      ...(withoutInvisibleTexts(lean(fields)) as object),
    },
  };
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}

/** The value without `null` and without `OMITTED_FIELDS`. */
function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    field === null || field === undefined || OMITTED_FIELDS.has(name) ? [] : [[name, lean(field)] as const],
  );
  return Object.fromEntries(fields);
}

/**
 * An error as the result of a tool. Code, message and hint are in `_meta`: clients validate structured content against the
 * output schema of the tool, even if it is an error.
 */
export function errorResult(error: LociError): CallToolResult {
  return {
    content: [{ type: 'text', text: errorText(error) }],
    isError: true,
    _meta: {
      'loci/error': {
        code: error.code,
        message: safeMessage(error.message).toWellFormed(),
        hint: hintOf(error),
      },
    },
  };
}

/** Hints for a reader without a shell, in place of those of the error table. */
const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  store_not_found:
    'Nothing is stored yet. The first record that is written creates the store; the user can index notes with ' +
    '`loci index PATH`.',
};

/** `not_found: no record 12 — Search again for a current citation.` */
export function errorText(error: LociError): string {
  const hint = hintOf(error);
  return `${error.code}: ${safeMessage(error.message)}${hint === '' ? '' : ` — ${hint}`}`.toWellFormed();
}

function hintOf({ code, hint }: LociError): string {
  return HINTS[code] ?? safeMessage(hint);
}
