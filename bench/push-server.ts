// A child process that pushes as fast as its clients take it: live points through the channel (`channel`), or one
// prepared message by a bare ws server (`bare`). A round is sent when the one before has been taken. Prints its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type BenchCaller, inAreas, LivePoints, readyScaled } from './live-points.ts';
import { measurements } from './plant.ts';

const [side = 'channel', count = '1000', clients = '50', who = 'open'] = process.argv.slice(2);
const wanted = Number(clients);
const points = inAreas(readyScaled(measurements(Number(count))));

/** What waits for a client before the next round is sent; enough that no client idles. */
const mostPending = 1 << 20;

if (side === 'channel') {
  const live = new LivePoints(points);
  live.change(points.length);
  const { url, channel, watches } = await live.serve(who as BenchCaller);
  process.stdout.write(`${url.replace('http', 'ws')}/ws\n`);
  const round = () => {
    if (channel.size === wanted && channel.watches >= wanted && channel.pendingBytes < wanted * mostPending) {
      live.change(points.length);
      watches.measurements.flush();
    }
    setImmediate(round);
  };
  round();
} else {
  const live = new LivePoints(points);
  live.change(points.length);
  const items = points.map(({ name }) => {
    const { vtq } = JSON.parse(live.measurements.wire.object(live.measurements.find(name)).toString());
    return { name, vtq };
  });
  const message = Buffer.from(JSON.stringify({ notification: 'MeasurementUpdateNotification', updates: items }));
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  const ready = new Set<WebSocket>();
  server.on('connection', (socket) => socket.once('message', () => ready.add(socket)));
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/\n`);
  });
  const round = () => {
    let pending = 0;
    for (const socket of ready) pending += socket.bufferedAmount;
    if (ready.size === wanted && pending < wanted * mostPending) {
      for (const socket of ready) socket.send(message, { binary: false });
    }
    setImmediate(round);
  };
  round();
}
