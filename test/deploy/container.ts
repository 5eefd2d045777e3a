import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './image.ts';

export interface ContainerOptions {
  /** An empty folder for the container, which is removed with it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The user and the group by their numbers. */
  readonly user: string;
  /** Files of the machine, by their paths in the container. */
  readonly files: Readonly<Record<string, string>>;
  /** Addresses of hosts by their names. */
  readonly hosts: Readonly<Record<string, string>>;
  /** The program and its arguments; by default those of the image. */
  readonly command?: readonly string[];
}

export interface Container {
  /** Sends a signal to process 1 of the container, if it runs. */
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** `$ROOT` becomes the root of the container, which nobody can write to, with `/proc` and a home in memory. */
const START = `
mount -t tmpfs tmpfs "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root"
cp --archive "$FILES/." "$WORK/upper/"
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
cd "$WORK/root"
mkdir -p proc dev
touch dev/null dev/urandom
mount -t proc proc proc
mount --bind /dev/null dev/null
mount --bind /dev/urandom dev/urandom
mount -t tmpfs -o "uid=\${OWNER%:*},gid=\${OWNER#*:},mode=0700" tmpfs var/lib/loci
mount -o remount,ro .
exec setpriv --no-new-privs env --ignore-environment "$@"
`;

/** Starts a container without an engine: in namespaces of its own for processes and mounts, and in the network of this machine. */
export function startContainer(image: Image, options: ContainerOptions): Container {
  const { folder, user, command = [...image.entrypoint, ...image.command] } = options;
  const files = join(folder, 'files');
  mkdirSync(join(files, 'etc'), { recursive: true });
  for (const [path, source] of Object.entries(options.files)) {
    mkdirSync(join(files, path, '..'), { recursive: true });
    cpSync(source, join(files, path), { preserveTimestamps: true });
  }
  const hosts = Object.entries({ localhost: '127.0.0.1', ...options.hosts });
  writeFileSync(join(files, 'etc/hosts'), hosts.map(([name, address]) => `${address} ${name}\n`).join(''));
  const work = join(folder, 'work');
  mkdirSync(work);
  const env = Object.entries({ ...image.env, ...options.env }).map(([name, value]) => `${name}=${value}`);
  const program = [...env, '/usr/sbin/chroot', `--userspec=${user}`, '.', ...command];
  const child = spawn('unshare', ['--mount', '--pid', '--fork', 'sh', '-euc', START, 'sh', ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ROOT: image.root, WORK: work, FILES: files, OWNER: user },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (text: Buffer) => (output[name] += text.toString()));
  let hasEnded = false;
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    rmSync(folder, { recursive: true, force: true });
    return { code: code as number | null, ...output };
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (!hasEnded) process.kill(processOne(child), signal);
  };
  return { ended, kill };
}

/** The process of this machine that is process 1 of the container. */
function processOne({ pid }: ChildProcess): number {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return Number(children.trim());
}
