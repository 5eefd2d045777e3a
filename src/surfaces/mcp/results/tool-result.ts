import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorCode, LociError } from '../../../core/errors.ts';
import { asMessage, jsonText, withoutHiddenTexts } from './fence.ts';
import { recordText } from './get.ts';
import { searchText } from './search.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- each tells the output of the verb of its name */
const TEXTS: Readonly<Record<string, (output: any) => string>> = { search: searchText, get: recordText };

/** What a verb answers as text; as JSON unless it reads better otherwise. */
export function answerText(operation: string, output: unknown): string {
  const tell = Object.hasOwn(TEXTS, operation) ? TEXTS[operation] : undefined;
  return tell === undefined ? jsonText(output) : tell(output);
}

/**
 * A verb's output as a result. Hidden texts of others are in neither form of it, but for the text of the one record that
 * `get` is asked for: who changes a part of that needs it as it was written.
 */
export function successResult(operation: string, output: unknown): CallToolResult {
  return {
    content: [{ type: 'text', text: answerText(operation, output).toWellFormed() }],
    structuredContent: withoutHiddenTexts(output, operation === 'get' ? 'text' : null),
  };
}

/**
 * An error of the table as a result that a model can act on. Its parts stand in `_meta`: structured content has to be
 * of the tool's output schema, errors included, and clients check it.
 */
export function errorResult(error: LociError): CallToolResult {
  return {
    content: [{ type: 'text', text: errorText(error) }],
    isError: true,
    _meta: {
      'loci/error': {
        code: error.code,
        message: asMessage(error.message).toWellFormed(),
        hint: hintOf(error),
      },
    },
  };
}

/** What a model can do, where the table speaks to whoever has a shell. */
const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  store_not_found:
    'Nothing is remembered yet. The first record that is written makes the store; the user can have notes read with ' +
    '`loci index PATH`.',
};

/** `not_found: no record 12 — Search again for a current citation.` */
export function errorText(error: LociError): string {
  const hint = hintOf(error);
  return `${error.code}: ${asMessage(error.message)}${hint === '' ? '' : ` — ${hint}`}`.toWellFormed();
}

function hintOf({ code, hint }: LociError): string {
  return HINTS[code] ?? asMessage(hint);
}
