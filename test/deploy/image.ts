import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SYSTEM } from '../postgres/server.ts';

const run = promisify(execFile);

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** What an image says about its processes. */
export interface Image {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly folder: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage {
  /** What the stage has in addition to its base. */
  readonly root: string;
  folder: string;
}

/** The instructions of a Dockerfile, with their arguments. */
function instructions(): [name: string, rest: string][] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', '');
  return text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);
}

/**
 * Builds the image of the Dockerfile without a container engine, as root: the base of a stage is Debian 13 with the Node of this
 * checkout, in which `RUN` runs with a root of its own. Supports the instructions that the Dockerfile has, and refuses others.
 * @param folder where to build
 * @param built folders of a stage that need not be built, because the checkout has the result
 */
export async function buildImage(
  folder: string,
  built: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<Image> {
  const stages = new Map<string, Stage>();
  const image = { env: {}, user: '', entrypoint: [], command: [], healthCheck: [] } as {
    -readonly [key in keyof Image]?: Image[key];
  };
  let [name, stage]: [string, Stage | null] = ['', null];
  for (const [instruction, rest] of instructions()) {
    if (instruction === 'FROM') {
      name = rest.split(' AS ')[1] ?? 'image';
      stage = { root: join(folder, name), folder: '/' };
      mkdirSync(stage.root, { recursive: true });
      stages.set(name, stage);
      continue;
    }
    if (stage === null) throw new Error('The Dockerfile does not begin with FROM.');
    if (built[name] !== undefined) continue;
    switch (instruction) {
      case 'WORKDIR':
        stage.folder = rest;
        mkdirSync(join(stage.root, rest), { recursive: true });
        break;
      case 'COPY':
        copy(stage, rest, (from, path) => built[from]?.[path] ?? join(stages.get(from)!.root, path));
        break;
      case 'RUN':
        await runIn(stage, rest, folder);
        break;
      case 'ENV':
        image.env = Object.fromEntries(rest.split(' ').map((each) => each.split('=') as [string, string]));
        break;
      case 'USER':
        image.user = rest;
        break;
      case 'ENTRYPOINT':
        image.entrypoint = JSON.parse(rest) as string[];
        break;
      case 'CMD':
        image.command = JSON.parse(rest) as string[];
        break;
      case 'HEALTHCHECK':
        image.healthCheck = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
        break;
      case 'EXPOSE':
        break;
      default:
        throw new Error(`${instruction} is not supported here.`);
    }
  }
  return { ...(image as Image), root: stage!.root, folder: stage!.folder };
}

/** `COPY` of files and folders of the checkout without what `.dockerignore` excludes, or of another stage. */
function copy({ root, folder }: Stage, rest: string, pathIn: (stage: string, path: string) => string): void {
  const words = rest.split(' ');
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const paths = words.filter((word) => !word.startsWith('--'));
  const [target, from, owner] = [paths.pop()!, option('from'), option('chown') ?? '0:0'];
  for (const path of paths) {
    const source = from === undefined ? join(ROOT, path) : pathIn(from, path);
    const isFolder = statSync(source).isDirectory();
    const entries = path === '.' ? NOT_IGNORED : isFolder ? readdirSync(source) : [''];
    for (const entry of entries) {
      const copied = join(
        root,
        isAbsolute(target) ? '' : folder,
        target,
        isFolder ? entry : target === './' ? path : '',
      );
      mkdirSync(dirname(copied), { recursive: true });
      execFileSync('cp', ['--archive', '--no-target-directory', join(source, entry), copied]);
      execFileSync('chown', ['--recursive', '--no-dereference', owner, copied]);
    }
  }
}

/** `.dockerignore` excludes everything, with exceptions. */
const NOT_IGNORED = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

/** The npm of this machine, which runs on the Node of the base. */
const NPM = '/usr/local/lib/node_modules/npm';

async function runIn({ root, folder }: Stage, line: string, work: string): Promise<void> {
  const npm = (await run('npm', ['root', '--global'])).stdout.trim();
  const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim();
  const merged = join(work, 'merged');
  const base = join(work, 'base');
  if (!existsSync(base)) {
    mkdirSync(join(base, 'usr/local/bin'), { recursive: true });
    cpSync(process.execPath, join(base, 'usr/local/bin/node'));
  }
  for (const path of [merged, join(work, 'changes')]) mkdirSync(path, { recursive: true });
  const mounts = [
    [join(npm, 'npm'), NPM],
    [cache, '/npm-cache'],
    ['/etc/ssl', '/etc/ssl'],
    ['/etc/resolv.conf', '/etc/resolv.conf'],
  ] as const;
  const script = [
    'mount -t overlay overlay -o "lowerdir=$BASE:$SYSTEM,upperdir=$UPPER,workdir=$WORK" "$ROOT"',
    ...mounts.flatMap(([from, to]) => [
      `${statSync(from).isDirectory() ? 'mkdir -p' : 'touch'} "$ROOT${to}"`,
      `mount --bind "${from}" "$ROOT${to}"`,
    ]),
    `ln -sf ${NPM}/bin/npm-cli.js "$ROOT/usr/local/bin/npm"`,
    'chroot "$ROOT" /bin/sh -c "cd $FOLDER && $LINE"',
  ].join('\n');
  const network = Object.entries(process.env).filter(([each]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(?:cafile|registry))$/i.test(each),
  );
  await run('unshare', ['--mount', 'sh', '-euc', script], {
    env: {
      ...Object.fromEntries(network),
      ...{ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
      ...{ npm_config_cache: '/npm-cache', npm_config_prefer_offline: 'true' },
      ...{ BASE: base, SYSTEM, UPPER: root, WORK: join(work, 'changes'), ROOT: merged },
      ...{ FOLDER: folder, LINE: line },
    },
  });
}
