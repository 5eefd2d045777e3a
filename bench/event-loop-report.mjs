// Imported by the server of a benchmark: a signal makes it print the longest turn of the event loop since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    process.stderr.write(`longest-turn-ms ${String(delays.max / 1e6)}\n`);
    delays.reset();
  });
}
