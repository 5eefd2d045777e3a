import { onTestFinished } from 'vitest';
import { type RunningLoci, startLoci } from './loci-command.ts';

export interface Served extends RunningLoci {
  readonly address: string;
}

/** `loci serve` in a separate process, or started with `command`: the path of Node, and a script. */
export async function serveProcess(
  home: string,
  env: NodeJS.ProcessEnv = {},
  command: readonly [node?: string, script?: string] = [],
): Promise<Served> {
  const args = ['serve', '--port', '0', '--home', home];
  const [node, script] = command;
  const options = { home, env: { LOCI_WRITES_ENABLED: 'true', ...env } };
  const running = startLoci(args, options, script === undefined ? undefined : [script], node);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const address = await new Promise<string>((resolve, reject) => {
    let told = '';
    running.child.stderr?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const found = /Loci listens at (\S+);/.exec(told);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    void running.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { ...running, address };
}
