// The real points, interface and channel of the server in a process of the benchmark's own, fed by hand instead of by
// devices: so that it is known exactly what changes between two reads.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Batch, type Measurement, systemClock } from '@telltale/schema';
import pino from 'pino';
import { allRights, type Caller, OriginGuard, ownerCaller } from '../packages/server/src/access/index.ts';
import { Alarms } from '../packages/server/src/alarms/index.ts';
import { ChannelRequests, ChannelServer, Watches } from '../packages/server/src/api/index.ts';
import { Gate, LiveData, liveObjects, type StackAccess } from '../packages/server/src/operations/index.ts';
import { Commands, Measurements } from '../packages/server/src/points/index.ts';
import { idleModules } from '../packages/server/test/idle-modules.ts';
import { openAccess } from '../packages/server/test/open-access.ts';
import { plainCredentials, plainHttp, plainRoutes } from '../packages/server/test/plain-http.ts';
import { overTls } from '../test/over-tls.ts';

const connectorName = 'plc';
const good = 0xc0;
const nothing = async () => {};

export class LivePoints {
  readonly measurements = new Measurements({
    clock: systemClock,
    store: { saveSimulation: nothing, deleteSimulation: nothing },
  });
  readonly commands = new Commands({
    clock: systemClock,
    store: { saveCommand: nothing, deleteCommand: nothing },
    writeToDevice: nothing,
  });
  readonly alarms = new Alarms({
    clock: systemClock,
    store: { saveAlarm: nothing, deleteAlarm: nothing },
    measurements: this.measurements,
  });
  readonly #batch = new Batch(1024);
  #turn = 0;

  constructor(points: readonly Measurement[]) {
    this.measurements.onChanges((changes) => this.alarms.evaluate(changes));
    this.measurements.putLink('connector', connectorName, undefined);
    for (const point of points) this.measurements.put({ ...point, connectorName });
  }

  /** So many measurements, beginning with the first, get another value. */
  change(count: number): void {
    const turn = ++this.#turn;
    const timeUs = systemClock.now();
    for (let handle = 0; handle < count; handle++) {
      const value = ((handle * 7919 + turn * 104_729) % 2_764_800) / 100;
      this.#batch.number(handle, value, good, timeUs);
    }
    this.measurements.readings(connectorName, this.#batch);
    this.#batch.clear();
  }

  /** Listens on a free port; answers with its address, in which the token of the caller is the user, and the channel. */
  async serve(
    who: BenchCaller = 'open',
  ): Promise<{ url: string; channel: ChannelServer; watches: Watches; onRequest(call: () => void): void }> {
    const data = new LiveData({ measurements: this.measurements, commands: this.commands, alarms: this.alarms });
    const unavailable = () => undefined;
    const implementations = {
      ...liveObjects({ data, stacks: {} as StackAccess, boot: randomUUID() }),
      heartbeat: () => undefined,
    };
    const { identities, user } = await accessOf(who);
    const areaOf = (_: unknown, name: string) => {
      const definition = this.measurements.definitionAt(this.measurements.find(name));
      return definition && (definition.area ?? '');
    };
    const gate = new Gate({ unavailable, areaOf, log: pino({ level: 'silent' }) });
    const http = plainHttp({ routes: plainRoutes(implementations, {}, gate), identities, gate });
    const watches = new Watches({
      data,
      modules: idleModules(),
      stacks: {
        has: () => false,
        areaOf: () => undefined,
        names: () => [],
        stateText: () => '',
        onState: () => undefined,
      },
      clock: systemClock,
      maxWatches: 1_000_000,
    });
    const channel = new ChannelServer({
      path: '/data/ws',
      requests: new ChannelRequests({ implementations, watches, slices: data.slices, gate }),
      watches,
      clock: systemClock,
      maxMessageBytes: 1 << 26,
      maxClients: 10_000,
      unavailable,
      identities,
      credentialsOf: plainCredentials,
      gate,
      modules: idleModules(),
      guard: new OriginGuard({ host: '127.0.0.1' }),
    });
    channel.serve(http);
    await http.listen({ host: '127.0.0.1', port: 0 });
    const { port } = http.server.address() as AddressInfo;
    const onRequest = (call: () => void) => http.server.prependListener('request', call);
    const protocol = overTls.pair === undefined ? 'http' : 'https';
    return { url: `${protocol}://${user}127.0.0.1:${port}/data`, channel, watches, onRequest };
  }
}

/** A program of the machine while there are no users, a token for all of the plant, or one for a part of it. */
export type BenchCaller = 'open' | 'unscoped' | 'scoped';
export const benchCallers: readonly BenchCaller[] = ['open', 'unscoped', 'scoped'];

/** With one in a hundred out of the view of the scoped caller. */
export function inAreas(points: readonly Measurement[]): Measurement[] {
  return points.map((point, at) => ({ ...point, area: isSeen(at) ? 'plant.works' : 'elsewhere' }));
}

export const isSeen = (at: number) => at % 100 !== 50;

async function accessOf(who: BenchCaller) {
  const identities = openAccess();
  if (who === 'open') return { identities, user: '' };
  await identities.open();
  const { accounts, tokens } = identities;
  await accounts.putUser('chief', { grants: [{ role: 'administrator' }] }, ownerCaller, { password: 'none' });
  const scope = who === 'scoped' ? { area: 'plant' } : {};
  await accounts.putUser('bench', { grants: [{ role: 'viewer', ...scope }] }, ownerCaller);
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const maker: Caller = { ...ownerCaller, author: 'bench', rights: allRights };
  const token = await tokens.make('bench', { grants: [{ role: 'viewer' }], expires }, maker);
  return { identities, user: `${token}@` };
}

/** Measurements whose device gives engineering values with two places, as most instruments with a bus do. */
export function readyScaled(points: readonly Measurement[]): Measurement[] {
  return points.map(({ rawRangeLo: _low, rawRangeHi: _high, ...point }) => ({ ...point, rawDatatype: 'd' }));
}
