// The peer of the collection benchmark, a process of its own: bare node:http that serves JSON.stringify of a map.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { measurements } from './plant.ts';

const map = Object.fromEntries(measurements(Number(process.argv[2])).map((object) => [object.name, object]));

const server = http.createServer((_request, response) => {
  const body = JSON.stringify(map);
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
