// A child process: takes writes of commands over HTTP, which are on disk when they are answered, with the audit trail or
// without it, and prints its address.
import type { AddressInfo } from 'node:net';
import { systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import pino from 'pino';
import { Alarms } from '../packages/server/src/alarms/index.ts';
import { AuditTrail } from '../packages/server/src/audit/index.ts';
import { Gate, LiveData, liveObjects, Recording, type StackAccess } from '../packages/server/src/operations/index.ts';
import { Commands, Measurements } from '../packages/server/src/points/index.ts';
import { LiveState } from '../packages/server/src/state/index.ts';
import { plainHttp, plainRoutes } from '../packages/server/test/plain-http.ts';

const [side = 'audited', count = '1000'] = process.argv.slice(2);
const cleanup = new AsyncDisposableStack();
const folder = temporaryFolder(cleanup);
const clock = systemClock;
const fail = (error: Error) => {
  throw error;
};

const store = new LiveState({ folder, onFailure: fail });
await store.open([]);
const measurements = new Measurements({ clock, store });
const commands = new Commands({ clock, store, writeToDevice: async () => {} });
const alarms = new Alarms({ clock, store, measurements });
for (let at = 0; at < Number(count); at++) commands.put({ name: `valve_${at}`, datatype: 'i', area: 'plant.works' });
const data = new LiveData({ measurements, commands, alarms });

const trail = new AuditTrail({
  folder,
  clock,
  onFailure: fail,
  onFault: (reason) => reason && fail(new Error(reason)),
});
await trail.open();
const areaOf = (_: unknown, name: string) => commands.definitionAt(commands.find(name))?.area;
const recording = new Recording({ trail, rendering: () => 1, areaOf, clock });
const gate = new Gate({
  unavailable: () => undefined,
  areaOf,
  log: pino({ level: 'silent' }),
  ...(side === 'audited' && { recording }),
});
const implementations = liveObjects({ data, stacks: {} as StackAccess, boot: '' });
const http = plainHttp({ routes: plainRoutes(implementations, {}, gate), gate });
await http.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`http://127.0.0.1:${(http.server.address() as AddressInfo).port}/data\n`);
process.once('SIGTERM', () => {
  void (async () => {
    await http.close();
    await trail.close(1000);
    await store.close(1000);
    await cleanup.disposeAsync();
    process.exit(0);
  })();
});
