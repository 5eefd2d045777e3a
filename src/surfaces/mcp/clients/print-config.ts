import { realpathSync } from 'node:fs';
import { LociError } from '../../../core/errors.ts';
import { configHome } from '../../../config/load.ts';
import { toJson } from '../../shared/escape-control.ts';
import type { RunStandalone } from '../../shared/run-standalone.ts';
import { type ClientSetup, clientSetup, type ClientConnection, settingsText } from './client-setup.ts';

/** Runs `loci mcp config CLIENT`: prints the settings of a client for this machine. */
export const printClientConfig: RunStandalone = async (
  { operands, options, json, home },
  { stdout, env },
) => {
  const setup = clientSetup(operands[0] ?? '', connectionOf(options['http'], home, env));
  stdout.write(json ? `${toJson(setup)}\n` : setupText(setup));
  return 0;
};

function connectionOf(
  http: string | true | undefined,
  home: string | undefined,
  env: NodeJS.ProcessEnv,
): ClientConnection {
  if (typeof http === 'string') {
    const isHttp = URL.canParse(http) && /^https?:$/.test(new URL(http).protocol);
    if (!isHttp)
      throw new LociError(
        'invalid_input',
        `--http must be a URL such as http://127.0.0.1:7777/mcp, not ${http}`,
      );
    return { url: http };
  }
  // Desktop programs do not have the PATH of a shell, so only absolute paths work everywhere.
  const script = realpathSync(process.argv[1] ?? '');
  const isDefaultHome = home === undefined && (env['LOCI_HOME'] ?? '') === '';
  const homeArgs = isDefaultHome ? [] : ['--home', configHome({ env, ...(home !== undefined && { home }) })];
  const connection = { command: process.execPath, args: [script, 'mcp', ...homeArgs] };
  const namespace = env['LOCI_NAMESPACE'] ?? '';
  return namespace === '' ? connection : { ...connection, env: { LOCI_NAMESPACE: namespace } };
}

function setupText({ title, shell, file, settings }: ClientSetup): string {
  const steps = shell === null ? [] : [`Run:\n\n${shell}\n`];
  const target = `${shell === null ? 'Add' : 'Or add'} to ${file.replaceAll('`', '')}:`;
  return [`${title}\n`, ...steps, `${target}\n`, settingsText(settings), ''].join('\n');
}
