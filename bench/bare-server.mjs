// Node's own HTTP server, which responds with two bytes. It shows what a request costs without Loci.
//   node bare-server.mjs     prints its port; GET /cpu returns the milliseconds of processor time so far
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { user, system } = process.cpuUsage();
  response.end(request.url === '/cpu' ? String((user + system) / 1000) : 'ok');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.once('SIGTERM', () => process.exit());
