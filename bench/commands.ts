import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Measure } from './report.ts';
import { quantile } from './timing.ts';

const RUNS = 9;
const COMMAND = fileURLToPath(new URL('../bin/loci.js', import.meta.url));
const VAULT = fileURLToPath(new URL('../examples/vault', import.meta.url));

/** Commands whose start is measured, and the largest ratio of their CPU time to that of a bare Node. */
const COMMANDS: readonly { readonly args: readonly string[]; readonly most: number }[] = [
  { args: ['search', 'oven'], most: 14 },
  { args: ['get', 'Home/Kitchen remodel.md'], most: 7 },
  { args: ['status'], most: 7 },
];

/** Measures the CPU time of commands in fresh processes, on the example vault in a home in `folder`. */
export async function measureCommands(folder: string): Promise<Measure[]> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const env = { ...process.env, LOCI_HOME: home };
  await run([COMMAND, 'index', VAULT], env);
  const bare: number[] = [];
  const times = new Map(COMMANDS.map((command) => [command, [] as number[]]));
  for (let i = 0; i < RUNS; i++) {
    bare.push(await run(['--eval', ''], env));
    for (const [{ args }, cpu] of times) cpu.push(await run([COMMAND, ...args], env));
  }
  return [...times].map(([{ args, most }, cpu]) => ({
    what: `loci ${args[0] ?? ''}, CPU time`,
    unit: 'ms',
    ours: quantile(cpu, 0.5),
    baseline: { name: 'Node itself', value: quantile(bare, 0.5) },
    target: { of: 'ratio', most, checked: false },
  }));
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
