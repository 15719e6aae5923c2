// A child process: the ceilings of the live benchmarks. Serves what it finds at an address once, from a constant buffer
// by bare node:http (/raw), as JSON.stringify of the parsed map (/stringify), or by bare Fastify (/fastify).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

const [source = ''] = process.argv.slice(2);
const bytes = Buffer.from(await (await fetch(source)).arrayBuffer());
const parsed = JSON.parse(bytes.toString());
const text = bytes.toString();
const type = 'application/json';
const bare = createServer((request, response) => {
  const body = request.url === '/stringify' ? Buffer.from(JSON.stringify(parsed)) : bytes;
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  response.end(body);
});
bare.listen(0, '127.0.0.1');
const app = fastify();
app.get('/fastify', (_request, reply) => reply.type(type).send(text));
await app.listen({ host: '127.0.0.1', port: 0 });
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
process.stdout.write(`http://127.0.0.1:${portOf(bare)} http://127.0.0.1:${portOf(app.server)}\n`);
