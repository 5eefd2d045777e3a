import { onTestFinished } from 'vitest';
import { type RunningLoci, startLoci } from './loci-command.ts';

export interface ServerProcess extends RunningLoci {
  readonly address: string;
}

/** Starts `loci serve` in a separate process. `command` replaces the path of Node and the script. */
export async function startServerProcess(
  home: string,
  env: NodeJS.ProcessEnv = {},
  command: readonly [node?: string, script?: string] = [],
): Promise<ServerProcess> {
  const args = ['serve', '--port', '0', '--home', home];
  const [node, script] = command;
  const options = { home, env: { LOCI_WRITES_ENABLED: 'true', ...env } };
  const running = startLoci(args, options, script === undefined ? undefined : [script], node);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    running.child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = /Loci listens at (\S+);/.exec(output);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    void running.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { ...running, address };
}
