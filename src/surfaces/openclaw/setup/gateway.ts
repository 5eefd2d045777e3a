import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { valueAt } from '../../../core/json-path.ts';
import { LociError, messageOf } from '../../../core/errors.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import type { Openclaw } from './program.ts';

const DEFAULT_PORT = 18_789;
/** A gateway takes 10 to 40 s to start. */
const START_TIMEOUT_MS = 180_000;
/** A running gateway loads plugins again within seconds of a change of its configuration. */
const RELOAD_TIMEOUT_MS = 90_000;
/** The first call loads the plugin. */
const CALL_TIMEOUT_MS = '60000';
const POLL_INTERVAL_MS = 500;

/** The environment of a gateway for this check alone: no channels, no schedules, no announcement in the network. */
const CHECK_ENV: NodeJS.ProcessEnv = {
  OPENCLAW_SKIP_CHANNELS: '1',
  OPENCLAW_SKIP_CRON: '1',
  OPENCLAW_NO_RESPAWN: '1',
  OPENCLAW_NO_AUTO_UPDATE: '1',
  OPENCLAW_DISABLE_BONJOUR: '1',
};

/** The port of the gateway of this machine. */
export function gatewayPort(values: JsonMap, env: NodeJS.ProcessEnv): number {
  const set = Number(env['OPENCLAW_GATEWAY_PORT'] ?? valueAt(values, ['gateway', 'port']));
  return Number.isInteger(set) && set > 0 ? set : DEFAULT_PORT;
}

/** Whether something listens at a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Whether a gateway that has just started accepts calls. */
async function isReady(port: number): Promise<boolean> {
  if (!(await isListening(port))) return false;
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}/readyz`, {
      signal: AbortSignal.timeout(5000),
    });
    return response.ok;
  } catch (error) {
    // With TLS there is no answer to plain HTTP: the call itself then waits.
    return !(error instanceof Error && error.name === 'TimeoutError');
  }
}

/** A session that nobody uses. */
const CHECK_SESSION = 'loci-check';

const NOT_OFFERED =
  'the gateway does not offer memory_search: if tools.deny, tools.allow or tools.profile hides it, add group:memory to tools.alsoAllow';

/** Who answered `memory_search`. */
export interface SearchResponder {
  readonly isLoci: boolean;
  /** Why it is not Loci, or why it cannot search. */
  readonly problem: string;
}

/** Runs `memory_search` in a gateway, as an agent would. @throws LociError if the gateway does not answer */
export async function probeMemorySearch(openclaw: Openclaw): Promise<SearchResponder> {
  // The host makes no session for it. In one that exists, tools are those of a turn of somebody else than the owner.
  const request = { name: 'memory_search', args: { query: 'memory' }, sessionKey: CHECK_SESSION };
  const called = await openclaw.json(
    'gateway',
    'call',
    'tools.invoke',
    '--timeout',
    CALL_TIMEOUT_MS,
    '--params',
    JSON.stringify(request),
  );
  const unlike = (problem: string): SearchResponder => ({ isLoci: false, problem });
  const details = isJsonMap(called) && valueAt(called, ['output', 'details']);
  if (!isJsonMap(details)) {
    const message = isJsonMap(called) && valueAt(called, ['error', 'message']);
    return unlike(typeof message === 'string' ? message : NOT_OFFERED);
  }
  const { provider, error, code } = details;
  // The host does not call it as the owner, who alone may read memory unless the settings say otherwise.
  if (provider === 'loci' && code === 'forbidden') return { isLoci: true, problem: '' };
  if (typeof error === 'string') return unlike(error);
  if (provider === 'loci') return { isLoci: true, problem: '' };
  return unlike(`another memory answers memory_search (provider ${JSON.stringify(provider ?? null)})`);
}

/** Waits until a running gateway has loaded its plugins again. @throws LociError `source_failed` if Loci does not answer by then */
export async function verifyRunning(openclaw: Openclaw, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + RELOAD_TIMEOUT_MS;
  for (;;) {
    const answer = await probeMemorySearch(openclaw).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return { isLoci: false, problem: messageOf(error) };
    });
    if (answer.isLoci) return;
    if (Date.now() > deadline)
      throw new LociError(
        'source_failed',
        `the running gateway does not answer from Loci: ${answer.problem}`,
        {
          hint:
            'Stop the gateway (`openclaw gateway stop`), run `loci openclaw setup` again, which then starts one for the check, and start ' +
            'yours.',
        },
      );
    await pause(signal);
  }
}

/** Starts a gateway on a free port, for one check, with a copy of the configuration. @throws LociError `source_failed` */
export async function verifyWithOwnGateway(openclaw: Openclaw, signal: AbortSignal): Promise<void> {
  const port = await freePort();
  const program = openclaw.with({ ...CHECK_ENV, OPENCLAW_GATEWAY_PORT: String(port) });
  const args = ['gateway', 'run', '--port', String(port), '--bind', 'loopback', '--tailscale', 'off'];
  const [path, all] = program.commandLine(args);
  // `openclaw` may be a script that starts the gateway, so that the whole group of processes is ended.
  const gateway = spawn(path, all, { env: program.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const state = { output: '', hasEnded: false };
  for (const stream of [gateway.stdout, gateway.stderr])
    stream.on('data', (chunk: Buffer) => {
      state.output = (state.output + chunk.toString('utf8')).slice(-10_000);
    });
  // The pipes close when the last process of the group has ended.
  const ended = once(gateway, 'close')
    .catch((error: unknown) => {
      state.output = messageOf(error);
    })
    .finally(() => {
      state.hasEnded = true;
    });
  try {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isReady(port))) {
      if (state.hasEnded || Date.now() > deadline)
        throw new LociError(
          'source_failed',
          `a gateway for the check did not start: ${state.output.trim().split('\n').slice(-6).join('\n')}`,
          {
            hint: 'Run `openclaw gateway run` to see why. If one is running on another port, set OPENCLAW_GATEWAY_PORT to it.',
          },
        );
      await pause(signal);
    }
    const answer = await probeMemorySearch(program);
    if (!answer.isLoci)
      throw new LociError('source_failed', `memory_search does not answer from Loci: ${answer.problem}`, {
        hint: '`loci openclaw doctor` lists what can be in the way: another plugin, wrong settings, an unreadable store.',
      });
  } finally {
    endGroup(gateway, 'SIGTERM');
    const kill = setTimeout(() => {
      endGroup(gateway, 'SIGKILL');
    }, 15_000);
    await ended;
    clearTimeout(kill);
  }
}

/** Sends a signal to a process and those that it has started. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await delay(POLL_INTERVAL_MS, undefined, { signal }).catch((error: unknown) => {
    throw new LociError('aborted', 'stopped', { cause: error });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
