import { LociError } from '../../core/errors.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import type { RunStandalone, StandaloneCall } from '../shared/run-standalone.ts';
import { exitOnStop, waitForStop } from '../shared/stop-signals.ts';
import { mcpHandler } from '../mcp/http.ts';
import type { ListenAddress } from './http/bind.ts';
import { serve } from './serve.ts';

/** Runs `loci serve` until it receives a stop signal; a second one stops it at once. */
export const serveRest: RunStandalone = async (call, io, { answerCommands }) => {
  const starting = exitOnStop();
  const running = await serve({
    home: call.home,
    env: io.env,
    entries: OPERATIONS,
    listenAt: listenAddressOf(call),
    ownsProcess: true,
    mcp: mcpHandler,
    answerCommands,
  });
  starting[Symbol.dispose]();
  io.stderr.write(`Loci listens at ${running.address}; Ctrl-C stops it.\n`);
  await waitForStop();
  await running.close();
  return 0;
};

/** @throws LociError `invalid_input` */
function listenAddressOf({ options }: StandaloneCall): Partial<ListenAddress> {
  const { host, port, socket } = options;
  if (typeof port === 'string' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new LociError(
      'invalid_input',
      `--port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`,
    );
  // A host or port on the command line overrides a socket in the settings.
  const usesTcp = typeof host === 'string' || typeof port === 'string';
  return {
    ...(typeof host === 'string' && { host }),
    ...(typeof port === 'string' && { port: Number(port) }),
    ...(usesTcp && { socket: undefined }),
    ...(typeof socket === 'string' && { socket }),
  };
}
