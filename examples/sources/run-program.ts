import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of the examples. */
export const EXAMPLES: string = fileURLToPath(new URL('.', import.meta.url));

/** A document that a program of this folder printed. */
export interface PrintedDocument {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
  readonly tags?: readonly string[];
  readonly timestamp?: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly completed?: boolean;
  readonly project?: string;
  readonly url?: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly documents: readonly PrintedDocument[];
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program of this folder like Loci: in this folder, with few variables besides PATH. Parses its output as JSON Lines
 * if the exit code is 0 and the arguments do not include `--help`.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  {
    timeZone = 'America/New_York',
    examples = EXAMPLES,
    cwd = examples,
  }: { timeZone?: string; examples?: string; cwd?: string } = {},
): Promise<Outcome> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [`${examples}${program}`, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, TZ: timeZone, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (part: string) => (text[stream] += part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const lines = code === 0 && !args.includes('--help') ? text.stdout.split('\n').filter(Boolean) : [];
  const documents = lines.map((line) => JSON.parse(line) as PrintedDocument);
  return { code, documents, ...text };
}
