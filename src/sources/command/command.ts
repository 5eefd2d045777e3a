import type { SourceSettings } from '../../config/sources-schema.ts';
import type { DocumentSource } from '../document.ts';
import { commandEnvironment } from './environment.ts';
import { fetchDocuments } from './fetch-documents.ts';
import { documentMapper } from './map-document.ts';
import { argvOf } from './split-command.ts';

export interface CommandOptions extends Pick<
  SourceSettings,
  'command' | 'shell' | 'timeout' | 'map' | 'fields'
> {
  /** The folder to run it in, absolute. */
  readonly cwd: string;
  /** The environment of whoever asks. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of it that the command may see, beside those that every program needs. */
  readonly allowed: readonly string[];
}

/** @throws LociError `invalid_config` for a line that cannot be split, or that needs a shell; for a bad template */
export function openCommand(options: CommandOptions): DocumentSource {
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
