import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./model-server.ts', import.meta.url));

export interface ModelServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly process: ChildProcess;
}

/** Starts a process that serves the bundled model. It ends with the running test. @param port that of an earlier one, or any */
export async function startModelServer(kind: 'ollama' | 'openai', port = 0): Promise<ModelServer> {
  const child = spawn(process.execPath, [PROGRAM, kind, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [origin] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { origin, process: child };
}
