import { onTestFinished } from 'vitest';
import { type RunningLoci, startLoci } from './loci-command.ts';

export interface Served extends RunningLoci {
  readonly address: string;
}

/** `loci serve` as a process of its own. */
export async function serveProcess(home: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const args = ['serve', '--port', '0', '--home', home];
  const running = startLoci(args, { home, env: { LOCI_WRITES_ENABLED: 'true', ...env } });
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
