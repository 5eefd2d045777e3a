// Node's own HTTP server, which answers two bytes: what a request costs before Loci does anything for it.
//   node bare-server.mjs     says its port; GET /cpu answers the milliseconds of processor time so far
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { user, system } = process.cpuUsage();
  response.end(request.url === '/cpu' ? String((user + system) / 1000) : 'ok');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.once('SIGTERM', () => process.exit());
