import type { FetchResult } from '../document.ts';
import { documentCollector } from '../documents/collect-documents.ts';
import type { ReadOptions } from '../documents/unknown-fields.ts';
import { parseDocuments } from './parse-documents.ts';
import { type CommandRequest, runCommand } from './run/run-command.ts';

export interface FetchRequest extends CommandRequest, ReadOptions {}

/**
 * Runs a command and reads the documents that it prints. A bad document is reported as a problem, and the others are returned.
 * @throws LociError `source_failed` when the command fails or its output cannot be parsed; `aborted`; `invalid_config` for a bad
 *   template
 */
export async function fetchDocuments(request: FetchRequest): Promise<FetchResult> {
  const collector = documentCollector(request);
  const { result, ...run } = await runCommand(request, (output) =>
    collector(parseDocuments(output, request.map?.items)),
  );
  return { ...result, ...run };
}
