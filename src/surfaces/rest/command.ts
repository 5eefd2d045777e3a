import { LociError } from '../../core/errors.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import type { Io } from '../shared/io.ts';
import type { RunServer, ServerCall } from '../shared/run-server.ts';
import { waitForStop } from '../shared/stop-signals.ts';
import { mcpHandler } from '../mcp/http.ts';
import type { ListenAddress } from './http/bind.ts';
import { serve } from './serve.ts';

/** `loci serve`: until a signal says to stop; a second one stops at once. */
export const serveRest: RunServer = async (call, io) => {
  const running = await serve({
    home: call.home,
    env: io.env,
    entries: OPERATIONS,
    listenAt: listenAddressOf(call),
    ownsProcess: true,
    mcp: mcpHandler,
  });
  announce(running.address, io);
  await waitForStop();
  await running.close();
  return 0;
};

function announce(address: string, io: Io): void {
  io.stderr.write(`Loci listens at ${address}; Ctrl-C stops it.\n`);
}

/** @throws LociError `invalid_input` */
function listenAddressOf({ options }: ServerCall): Partial<ListenAddress> {
  const { host, port, socket } = options;
  if (typeof port === 'string' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new LociError(
      'invalid_input',
      `--port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`,
    );
  // Whoever names a host or port means these, whatever the settings say of a socket.
  const tcp = typeof host === 'string' || typeof port === 'string';
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof port === 'string' && { port: Number(port) }),
    ...(tcp && { socket: undefined }),
    ...(typeof socket === 'string' && { socket }),
  };
}
