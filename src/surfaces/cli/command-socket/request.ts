import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Config } from '../../../config/schema.ts';
import { packageVersion } from '../../../core/runtime.ts';
import type { OpenContext } from '../../../operations/context.ts';
import { locateStore } from '../../../store/registry.ts';

/** The commands that may be answered over the socket. They only read. `bin/command-socket.js` has the same list. */
const ANSWERED_COMMANDS: readonly string[] = [
  'search',
  'get',
  'list',
  'status',
  'fact recall',
  'fact list',
  'fact categories',
];

const output = z.strictObject({ isTTY: z.boolean(), columns: z.number().int().nullable() });

const request = z.strictObject({
  /** The program that asks. */
  version: z.string(),
  node: z.string(),
  build: z.string(),
  argv: z.array(z.string()),
  home: z.string(),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  utcOffset: z.number(),
  stdout: output,
  stderr: output,
});

/** A command line, and everything else that determines its output. */
export type SocketRequest = z.infer<typeof request>;

/** Returns `null` for anything but a request. */
export function parseRequest(line: string): SocketRequest | null {
  try {
    return request.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Names the bundled command line, which a new build or an update replaces. `null` if it is not there. */
function buildOf(): string | null {
  const file = fileURLToPath(new URL('../../../../dist/bundle/main.js', import.meta.url));
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : `${String(found.mtimeMs)}:${String(found.size)}`;
}

/** Decides which requests this process can answer with the same output as a process of their own. */
export class RequestCheck {
  readonly #context: OpenContext;
  readonly #build: string | null;
  readonly #version: string;
  readonly #store: Promise<string | null>;

  /** The engine of `context` must be open. */
  constructor(context: OpenContext) {
    this.#context = context;
    this.#build = buildOf();
    this.#version = packageVersion();
    this.#store = context.loci().then(
      ({ config }) => locateStore(config.store).identity(),
      () => null,
    );
  }

  /** Returns why the asking process must run the command itself; `null` if this process can answer. */
  async reasonToDecline(asked: SocketRequest): Promise<string | null> {
    if (asked.version !== this.#version || asked.build !== this.#build || asked.node !== process.version)
      return 'the program is another';
    if (asked.home !== this.#context.home) return 'the home is another';
    if (!isAnswered(asked.argv)) return 'the command is not answered here';
    if (!hasSameVariables(asked)) return 'the environment is another';
    return (await this.#hasSameSettings(asked)) ? null : 'the settings or the store have changed';
  }

  async #hasSameSettings({ env, cwd }: SocketRequest): Promise<boolean> {
    const { config: settings } = await this.#context.loci();
    // A command that finds wrong settings reports them itself.
    const loaded = await this.#context
      .forCall({ env, cwd })
      .loadConfig()
      .catch(() => null);
    if (loaded === null || !isDeepStrictEqual(usedSettings(loaded.values), usedSettings(settings)))
      return false;
    const { connectionString, directConnectionString } = settings.store;
    for (const place of [connectionString, directConnectionString])
      if (place?.startsWith('env:') === true && env[place.slice(4)] !== process.env[place.slice(4)])
        return false;
    const identity = await locateStore(settings.store).identity();
    return identity !== null && identity === (await this.#store);
  }
}

/** The settings without those that no answered command uses. An agent may start its server with others. */
function usedSettings({ writes: _w, server: _s, auth: _a, mcp: _m, startup: _t, ...used }: Config): object {
  return used;
}

/** A command that reads files or standard input, or names another home, runs in the process that has these. */
function isAnswered(argv: readonly string[]): boolean {
  if (argv.some((word) => word === '-' || /^--(?:input|home)(?:=|$)/.test(word))) return false;
  const [first = '', second = ''] = wordsOf(argv);
  return ANSWERED_COMMANDS.includes(first) || ANSWERED_COMMANDS.includes(`${first} ${second}`);
}

function wordsOf(argv: readonly string[]): readonly string[] {
  return argv[0] === '--json' ? argv.slice(1) : argv;
}

/** Whether variables that the operations read from this process have the same values there. */
function hasSameVariables({ argv, env, utcOffset }: SocketRequest): boolean {
  if (utcOffset !== new Date().getTimezoneOffset()) return false;
  // `status` looks up the programs of sources.
  const names = wordsOf(argv)[0] === 'status' ? ['HOME', 'TZ', 'PATH'] : ['HOME', 'TZ'];
  return names.every((name) => env[name] === process.env[name]);
}
