// The mosquitto broker as a peer: one publisher, so many subscribers, QoS 0, one message a value.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { output } from './child.ts';

/** Values that reach all subscribers together a second; 0 where there is no mosquitto. */
export async function mosquittoRate(points: number, clients: number, seconds: number): Promise<number> {
  if (spawnSync('mosquitto', ['-h']).error !== undefined) return 0;
  await using cleanup = new AsyncDisposableStack();
  const config = join(temporaryFolder(cleanup), 'mosquitto.conf');
  const port = await freePort();
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n`);
  const broker = spawn('mosquitto', ['-c', config], { stdio: 'ignore' });
  const ended = once(broker, 'close');
  cleanup.defer(async () => {
    broker.kill();
    await ended;
  });
  return Number(await output('mqtt-load.ts', [String(port), String(points), String(clients), String(seconds)]));
}
