import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorCode, LociError } from '../../../core/errors.ts';
import {
  fence,
  jsonText,
  RECALLED_FIELDS_ARE_DATA,
  RECALLED_IS_DATA,
  safeMessage,
  withoutInvisibleTexts,
} from './fence.ts';
import { getResult } from './get.ts';
import { nodeTextResult } from './node-text.ts';
import { packResult } from './pack.ts';
import { searchResult } from './search.ts';
import { timelineResult } from './timeline.ts';

/** How MCP formats the output of an operation for a model. Operations without an entry in `RESULTS` return JSON. */
interface OperationResult {
  /** The output as text for a model. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the output of the operation of this name
  text(output: any): string;
  /**
   * What a model must know that the fields do not say, above all that they are data. Some clients give their models only
   * the structured content. `null` if there is nothing.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  notice(output: any): string | null;
  /** A field whose text a model needs unchanged, for example to edit a part of it. */
  readonly verbatimField: string | null;
}

const RECALLED_JSON: OperationResult = {
  text: (output) => `${RECALLED_IS_DATA}\n${fence(jsonText(output), 'recalled')}`,
  notice: () => RECALLED_FIELDS_ARE_DATA,
  verbatimField: null,
};
const JSON_RESULT: OperationResult = { text: jsonText, notice: () => null, verbatimField: null };
const RESULTS: Readonly<Record<string, OperationResult>> = {
  search: searchResult,
  pack: packResult,
  'graph-index': nodeTextResult,
  'graph-pack': nodeTextResult,
  get: getResult,
  list: RECALLED_JSON,
  timeline: timelineResult,
  'fact-recall': RECALLED_JSON,
  'fact-list': RECALLED_JSON,
  // Keys of facts, and problems that quote documents, are texts that others wrote.
  'fact-categories': RECALLED_JSON,
  'sources-list': RECALLED_JSON,
  corpus: RECALLED_JSON,
};

function resultOf(operation: string): OperationResult {
  return (Object.hasOwn(RESULTS, operation) ? RESULTS[operation] : undefined) ?? JSON_RESULT;
}

/** The output of an operation as text for a model. */
export function outputText(operation: string, output: unknown): string {
  return resultOf(operation).text(output);
}

/** Fields of outputs that tell a model nothing: durations, and offsets into a text that it reads as a whole. */
export const OMITTED_FIELDS: ReadonlySet<string> = new Set(['took_ms', 'highlights']);

/** An output as the result of a tool, as text and as structured content, without invisible characters. */
export function successResult(operation: string, output: unknown): CallToolResult {
  const result = resultOf(operation);
  const notice = result.notice(output);
  return {
    content: [{ type: 'text', text: outputText(operation, output).toWellFormed() }],
    structuredContent: {
      ...(notice !== null && { notice: notice.toWellFormed() }),
      ...(lean(withoutInvisibleTexts(output, result.verbatimField)) as object),
    },
  };
}

/** The output without `null` and without `OMITTED_FIELDS`. */
function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
    field === null || OMITTED_FIELDS.has(name) ? [] : [[name, lean(field)] as const],
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

/** Hints that replace hints of the error table which assume that the reader has a shell. */
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
