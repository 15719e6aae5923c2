// Memory a live point: the store alone, and the whole server with 100,000 measurements less the server with none.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atMost, type Benchmark } from './measure.ts';
import { connector, measurements, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const count = 100_000;

export const memory: Benchmark = {
  name: 'memory',
  title: `memory a live point, of ${count}`,
  async run(say) {
    const file = fileURLToPath(new URL('./memory-points.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file, String(count)]);
    const [bytes = 0, wire = 0] = stdout.split(' ').map(Number);
    say(`live point ${bytes.toFixed(0)} bytes, of which ${wire.toFixed(0)} are its bytes on the wire`);
    const server = await withServer(async (running) => {
      const empty = residentBytes(running.pid);
      await running.send('PUT', `/connectors/${connector.name}`, connector);
      await post(`${running.config}/cfgdb/txn?render=1`, putAll(measurements(count)));
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return residentBytes(running.pid) - empty;
    });
    say(
      `the whole server, configuration, its thread and the stack included: ${(server / count).toFixed(0)} bytes a point`,
    );
    return [atMost('KiB a live point', bytes / 1024, 1)];
  },
};

/** Only Linux tells. */
function residentBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}
