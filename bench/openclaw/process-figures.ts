import { readdirSync, readFileSync } from 'node:fs';

const MEGABYTE_KB = 1024;
/** Linux counts the CPU time of a process in hundredths of a second. */
const TICK_MS = 10;

export interface ProcessMemory {
  readonly rssMb: number;
  /** The proportional set size: pages that processes share are divided among them. */
  readonly pssMb: number;
}

/** The memory of a process and all its descendants; NaN on systems without `/proc`. */
export function memoryOfTree(pid: number): ProcessMemory {
  try {
    const figures = [pid, ...descendantsOf(pid)].map(memoryOf);
    return {
      rssMb: figures.reduce((total, { rssMb }) => total + rssMb, 0),
      pssMb: figures.reduce((total, { pssMb }) => total + pssMb, 0),
    };
  } catch {
    return { rssMb: Number.NaN, pssMb: Number.NaN };
  }
}

function memoryOf(pid: number): ProcessMemory {
  const rollup = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / MEGABYTE_KB;
  return { rssMb: megabytes('Rss'), pssMb: megabytes('Pss') };
}

function descendantsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${String(pid)}/task`).flatMap((thread) =>
    readFileSync(`/proc/${String(pid)}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The CPU time of a process and all its threads until now; NaN on systems without `/proc`. */
export function cpuTimeMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name, in brackets, may have spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
