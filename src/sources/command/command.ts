import type { SourceSettings } from '../../config/sources-schema.ts';
import { argvOf } from '../../core/text/split-command.ts';
import type { CommandSource, FetchResult } from '../document.ts';
import { documentCollector } from '../documents/collect-documents.ts';
import { documentMapper } from '../documents/map-document.ts';
import type { ReadOptions } from '../documents/unknown-fields.ts';
import { parseDocuments } from './parse-documents.ts';
import { type CommandRequest, runCommand } from './run/run-command.ts';

export interface CommandOptions extends Pick<
  SourceSettings,
  'command' | 'shell' | 'timeout' | 'map' | 'fields'
> {
  /** The working folder, absolute. */
  readonly cwd: string;
  /** The environment of this process. */
  readonly env: NodeJS.ProcessEnv;
  /** Variables that the command may read, such as `TODOIST_TOKEN`. Every command may read PATH and its like as well. */
  readonly allowed: readonly string[];
}

/** @throws LociError `invalid_config` for a line that cannot be split, or that needs a shell; for a bad template */
export function openCommand(options: CommandOptions): CommandSource {
  const { cwd, env, allowed, timeout, map, fields } = options;
  const argv = argvOf(options);
  if (map !== undefined) documentMapper(map);
  return {
    argv,
    fetch: ({ program, signal }) =>
      fetchDocuments({
        argv: [program ?? argv[0] ?? '', ...argv.slice(1)],
        cwd,
        env: commandEnvironment(env, allowed),
        timeout,
        ...(map !== undefined && { map }),
        ...(fields !== undefined && { fields }),
        ...(signal !== undefined && { signal }),
      }),
  };
}

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

/** Variables that programs need to find files, the user, the language and the time zone. */
const DEFAULT_VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z_]+|TZ|TMPDIR)$/;

/** Python would otherwise write compiled modules into the folder of a skill, and each would need a new approval. */
const NO_PYTHON_CACHE = { PYTHONDONTWRITEBYTECODE: '1' } as const;

/** The variables that a command may read. */
export function commandEnvironment(env: NodeJS.ProcessEnv, allowed: readonly string[]): NodeJS.ProcessEnv {
  const visible = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (DEFAULT_VARIABLES.test(name) || allowed.includes(name)),
  );
  return { ...NO_PYTHON_CACHE, ...Object.fromEntries(visible) };
}
