import { hostname } from 'node:os';
import { configHome, loadConfig } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { userName } from '../../../core/runtime.ts';
import { isoTime } from '../../../engine/fields/times.ts';
import { OPERATIONS } from '../../../operations/registry.ts';
import { mcpHandler } from '../../mcp/server.ts';
import { serve, type RunningServer } from '../../rest/serve.ts';
import { toJson } from '../../shared/escape-control.ts';
import type { Io } from '../../shared/io.ts';
import type { CommandLine, PageLink, RunStandalone, StandaloneCall } from '../../shared/run-standalone.ts';
import { exitOnStop, waitForStop } from '../../shared/stop-signals.ts';
import { findPageLink } from '../command-socket/page-link.ts';
import { openInBrowser } from './open-in-browser.ts';

const LOOPBACK = '127.0.0.1';

/** Runs `loci ui`: opens the page of a server of this home, or of one that it starts and that runs until it is stopped. */
export const openPage: RunStandalone = async (call, io, commandLine) => {
  const home = configHome({ env: io.env, ...(call.home !== undefined && { home: call.home }) });
  const found = await findPageLink(home, io.env);
  if (found !== null) {
    await show(found, false, home, call, io);
    return 0;
  }
  const starting = exitOnStop();
  const running = await startServer(home, io, commandLine);
  starting[Symbol.dispose]();
  await show(await running.makeLink(), true, home, call, io);
  io.stderr.write('Ctrl-C stops the server.\n');
  await waitForStop();
  await running.close();
  return 0;
};

/** Starts a server on loopback, at a free port if that of the settings is taken. */
async function startServer(home: string, io: Io, { answerCommands }: CommandLine): Promise<RunningServer> {
  const { host, port, socket } = (await loadConfig({ home, env: io.env })).values.server;
  const isLoopback = /^(localhost|127\.[\d.]+|::1)$/i.test(host);
  if (socket !== undefined)
    io.stderr.write('loci: a browser cannot open server.socket; the page is at a port of this machine.\n');
  else if (!isLoopback)
    io.stderr.write(`loci: server.host is ${host}; the page is only on this machine, at ${LOOPBACK}.\n`);
  const start = (at: number): Promise<RunningServer> =>
    serve({
      home,
      env: io.env,
      entries: OPERATIONS,
      listenAt: { host: isLoopback ? host : LOOPBACK, port: at, socket: undefined },
      ownsProcess: true,
      mcp: mcpHandler,
      answerCommands,
    });
  try {
    return await start(port);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    const running = await start(0);
    io.stderr.write(
      `loci: another program uses port ${String(port)}; the page is at port ${new URL(running.address).port}.\n`,
    );
    return running;
  }
}

async function show(
  { address, code, expiresAt }: PageLink,
  started: boolean,
  home: string,
  { options, json }: StandaloneCall,
  io: Io,
): Promise<void> {
  const url = `${address}/ui/#code=${code}`;
  const isPrinted = options['print'] === true;
  const opened = !isPrinted && (await openInBrowser(url, home, io.env));
  const tunnel = tunnelOf(address);
  if (json) {
    const fields = { url, address, started, opened, expires_at: isoTime(expiresAt), tunnel };
    io.stdout.write(`${toJson(fields)}\n`);
    return;
  }
  const intro = opened
    ? 'The page opens in your browser. If it does not, open this link'
    : 'Open this link in your browser';
  io.stdout.write(`${intro} within a minute; it works once:\n\n  ${url}\n`);
  if (!opened)
    io.stdout.write(`\nFrom another machine, first run there, and keep it running:\n\n  ${tunnel}\n`);
}

/** The command that makes the port of this machine reachable at the same address on another one. */
function tunnelOf(address: string): string {
  const { hostname: host, port } = new URL(address);
  return `ssh -N -L ${port}:${host}:${port} ${userName()}@${hostname()}`;
}
