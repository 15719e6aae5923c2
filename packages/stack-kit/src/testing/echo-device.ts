// A process with a device that sends back what it is sent, and prints its port: `node echo-device.ts`.
import { type AddressInfo, createServer } from 'node:net';

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
