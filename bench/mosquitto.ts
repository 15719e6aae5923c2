// The mosquitto broker as a peer: one publisher, so many subscribers, QoS 0, one message a value.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output } from './child.ts';

/** Values that reach all subscribers together a second; 0 where there is no mosquitto. */
export async function mosquittoRate(points: number, clients: number, seconds: number): Promise<number> {
  if (spawnSync('mosquitto', ['-h']).error !== undefined) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'telltale-mosquitto-'));
  const port = await freePort();
  const config = join(folder, 'mosquitto.conf');
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n`);
  const broker = spawn('mosquitto', ['-c', config], { stdio: 'ignore' });
  const ended = once(broker, 'close');
  try {
    return Number(await output('mqtt-load.ts', [String(port), String(points), String(clients), String(seconds)]));
  } finally {
    broker.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
