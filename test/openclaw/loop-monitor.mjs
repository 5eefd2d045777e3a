// Node loads this file before the gateway. It measures how long the event loop is busy without a pause, and answers it by HTTP.
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const port = Number(process.env.LOOP_MONITOR_PORT ?? 0);
// Threads and child processes have loops of their own.
if (isMainThread && port > 0) {
  delete process.env.LOOP_MONITOR_PORT;
  delete process.env.NODE_OPTIONS;
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longestMs = 0;
  let longestCpuMs = 0;
  let at = performance.now();
  let cpuAt = cpuMs();
  const measure = () => {
    const now = performance.now();
    const cpuNow = cpuMs();
    longestMs = Math.max(longestMs, now - at);
    longestCpuMs = Math.max(longestCpuMs, cpuNow - cpuAt);
    at = now;
    cpuAt = cpuNow;
  };
  setInterval(measure, 2).unref();
  createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ longestMs, longestCpuMs }));
    longestMs = 0;
    longestCpuMs = 0;
  })
    .listen(port, '127.0.0.1')
    .unref();
}
