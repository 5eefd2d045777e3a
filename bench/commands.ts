import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';

const RUNS = 9;
const COMMAND = fileURLToPath(new URL('../bin/loci.js', import.meta.url));
const VAULT = fileURLToPath(new URL('../examples/vault', import.meta.url));

/**
 * Commands whose start is measured, and the largest ratio of their CPU time to that of a bare Node: when they open the store
 * themselves, and when a running server answers them.
 */
const COMMANDS: readonly {
  readonly args: readonly string[];
  readonly most: number;
  readonly mostAnswered: number;
}[] = [
  { args: ['search', 'oven'], most: 14, mostAnswered: 4 },
  { args: ['get', 'Home/Kitchen remodel.md'], most: 7, mostAnswered: 4 },
  { args: ['status'], most: 7, mostAnswered: 4 },
];

/** Measures the CPU time of commands in fresh processes, on the example vault in a home in `folder`. */
export async function measureCommands(folder: string): Promise<Measure[]> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = { ...process.env, LOCI_HOME: home };
  await run([COMMAND, 'index', VAULT], env);
  const server = await startServer(env);
  const bare: number[] = [];
  const measured = COMMANDS.map((command) => ({ command, alone: [] as number[], answered: [] as number[] }));
  try {
    for (let i = 0; i < RUNS; i++) {
      bare.push(await run(['--eval', ''], env));
      for (const { command, alone, answered } of measured) {
        alone.push(await run([COMMAND, ...command.args], { ...env, LOCI_COMMAND_SOCKET: 'off' }));
        answered.push(await run([COMMAND, ...command.args], env));
      }
    }
  } finally {
    server.kill();
  }
  const measureOf = (what: string, cpu: readonly number[], most: number): Measure => ({
    what: `${what}, CPU time`,
    unit: 'ms',
    ours: quantile(cpu, 0.5),
    baseline: { name: 'Node itself', value: quantile(bare, 0.5) },
    target: { of: 'ratio', most, checked: false },
  });
  return measured.flatMap(({ command: { args, most, mostAnswered }, alone, answered }) => [
    measureOf(`loci ${args[0] ?? ''}`, alone, most),
    measureOf(`loci ${args[0] ?? ''}, answered by a server`, answered, mostAnswered),
  ]);
}

/** Starts `loci sources watch`, which answers commands from its first line on. */
async function startServer(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [COMMAND, 'sources', 'watch', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(child.stdout), 'line');
  return child;
}

/** Makes a process write its CPU time, in milliseconds, to file descriptor 3 when it exits. */
const REPORT_CPU_TIME = `
  import { writeSync } from 'node:fs';
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    writeSync(3, String((userCPUTime + systemCPUTime) / 1000));
  });`;

/** The CPU time of a process and its threads until it exits, in milliseconds. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const preload = `data:text/javascript,${encodeURIComponent(REPORT_CPU_TIME)}`;
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let time = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (time += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with exit code ${String(code)}`);
  return Number(time);
}
