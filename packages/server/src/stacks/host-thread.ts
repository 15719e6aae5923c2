// A thread of the stacks: runs its connectors and providers, and sends their events to the server's thread.
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Batch, systemClock as clock, parseJson } from '@telltale/schema';
import { type DeviceAlarm, Refused, ServingTurns, type StackAlarm, type StackPoint } from '@telltale/stack-kit';
import { type Handlers, LeaseDeadline, type Link, parentLink } from '../threads/index.ts';
import { HostedInstance, type PointTable } from './hosted-instance.ts';
import { createLimitedLog } from './limited-log.ts';
import { loadStacks } from './load-stacks.ts';
import { consume, Outbox } from './outbox.ts';
import type { HostClient, HostStart, HostThread } from './protocol.ts';
import { AskedProcesses } from './thread-processes.ts';

const statusPeriodMs = 1000;
/** While there is no lease. */
const leasePeriodMs = 100;
/** Loading that takes longer does not keep the thread busy: it waits for something, perhaps for ever. */
const maxLoadMs = 45_000;
/** Of what is asked of an instance that is not there any more. */
const stopped = { kind: 'notConnected', reason: 'it is stopped' } as const;

function main(): void {
  const { stackModules, maxHeapMb, folder, consumedByClient, consumedByThread, lease, ...settings } =
    workerData as HostStart;
  const deadline = lease && new LeaseDeadline(clock, lease);
  const findStack = loadStacks(stackModules, clock);
  const instances = new Map<number, HostedInstance>();
  const logged = new Map<number, string>();
  /** By role and name: a later one begins when all earlier ones have given back what they had. */
  const endings = new Map<string, Promise<void>>();
  const turns = new ServingTurns(clock);
  let loads = 0;
  const outbox = new Outbox({
    consumed: consumedByClient,
    clock,
    post(id, batch) {
      client.notify('readings', [id, batch], [batch.buffer]);
    },
  });

  const reportStatus = (id: number, instance: HostedInstance) => {
    const report = instance.report();
    const text = JSON.stringify(report);
    if (logged.get(id) === text) return;
    logged.set(id, text);
    client.notify('status', [id, report]);
  };

  const loading = async <Module>(load: () => Promise<Module>): Promise<Module> => {
    if (loads++ === 0) client.notify('loading', [true]);
    let end = () => {
      end = () => {};
      if (--loads === 0) client.notify('loading', [false]);
    };
    const cancel = clock.after(maxLoadMs, () => end());
    try {
      return await load();
    } finally {
      cancel();
      end();
    }
  };

  const start: HostThread['start'] = (id, role, instance, replaces, isSame, mayRun, epoch) => {
    const { name } = instance;
    const earlier = replaces === undefined ? undefined : instances.get(replaces);
    const points: PointTable = earlier?.points ?? emptyTable();
    if (!isSame) points.isWhole = false; // those of its rendering are on their way
    const hosted = new HostedInstance({
      ...settings,
      role,
      instance,
      points,
      findStack,
      clock,
      turns,
      random: Math.random,
      log: createLimitedLog(clock, (level, text) => client.notify('log', [role, name, level, text])),
      folder: join(folder, `${role}-${name}`),
      onReadings: (batch) => outbox.send(id, batch, (point) => points.measurements.has(point)),
      onAlarms: (states) => void client.notify('alarms', [id, states]),
      onLink(up, reason, timeUs) {
        outbox.flush(id);
        client.notify('link', [id, up, reason, timeUs]);
      },
      onState: () => reportStatus(id, hosted),
      loading,
      startProcess: (...process) => processes.start(...process),
      mayWrite: () => deadline === undefined || deadline.isValid(epoch),
      write: (writes, user) => client.call('write', [id, writes, user]),
      acknowledge: (alarm, authority, user) => client.call('acknowledge', [id, alarm, authority, user]),
      users: {
        async signIn(credentials) {
          const signedIn = await client.call('signIn', [id, credentials]);
          if ('session' in signedIn) return signedIn;
          throw new Refused(signedIn.reason);
        },
        signOut: (session) => void client.notify('signOut', [id, session]),
      },
      async storePast(batch) {
        const outcome = await client.call('storePast', [id, batch], { transfer: [batch.buffer] });
        if ('stored' in outcome) return outcome;
        throw new Refused(outcome.reason);
      },
      async newestRecords(ids, signal) {
        const answer = await client.call('newestRecords', [id, ids], { signal });
        if ('frames' in answer) return answer.frames;
        throw new Refused(answer.reason);
      },
      async readHistory(asked, signal) {
        const answer = await client.call('readHistory', [id, asked], { signal });
        if ('frames' in answer) return answer.frames;
        throw new Refused(answer.reason);
      },
    });
    instances.set(id, hosted);
    if (replaces !== undefined && earlier !== undefined) stop(replaces, earlier);
    if (!mayRun) return;
    const ending = endings.get(hosted.key);
    if (ending === undefined) hosted.begin();
    else ending.then(() => instances.has(id) && hosted.begin());
  };

  const stop = (id: number, instance: HostedInstance): void => {
    instances.delete(id);
    const { key } = instance;
    const ending = Promise.all([endings.get(key), instance.stop()]).then(() => {
      logged.delete(id);
      outbox.forget(id);
      if (endings.get(key) === ending) endings.delete(key);
      client.notify('stopped', [id, instance.report()]);
    });
    endings.set(key, ending);
  };

  const handlers: Handlers<HostThread> = {
    start,
    stop(id) {
      const instance = instances.get(id);
      if (instance !== undefined) stop(id, instance);
    },
    putPoints: (id, { measurements, commands }) =>
      instances.get(id)?.putPoints({ measurements: parseJson(measurements) as StackPoint[], commands }),
    dropPoints: (id) => instances.get(id)?.dropPoints(),
    pointsDone: (id, gone) => instances.get(id)?.pointsDone(gone),
    confirm: () => {},
    ended: async (role, name) => endings.get(`${role} ${name}`),
    allEnded: async () => void (await Promise.all(endings.values())),
    write: (id, writes, askedMs, claims, { report }) =>
      instances.get(id)?.write(writes, askedMs, claims, report) ?? writes.map(() => stopped),
    acknowledge: (id, asked) => instances.get(id)?.acknowledge(asked) ?? stopped,
    explain(id, measurementId) {
      const outcome = instances.get(id)?.explain(measurementId) ?? { kind: 'explained', trace: undefined };
      outbox.flush(id); // readings go before the event that follows them
      return outcome;
    },
    browse: (id, request, { signal }) => instances.get(id)?.browse(request, signal) ?? stopped,
    setAlarms: (id, alarms) => instances.get(id)?.setAlarms(parseJson(alarms) as (StackAlarm | DeviceAlarm)[]),
    publishAlarms: (id, states) => instances.get(id)?.publishAlarms(states),
    publish(id, batch) {
      instances.get(id)?.publish(Batch.from(batch));
      consume(consumedByThread, batch);
    },
    endUser: (id, session) => instances.get(id)?.endUser(session),
    fromProcess: (process, message) => processes.heard(process, message),
    processEnded: (process, reason) => processes.ended(process, reason),
    ping: () => void client.notify('pong', []),
    async close() {
      for (const [id, instance] of instances) stop(id, instance);
      await Promise.all(endings.values());
    },
  };

  const reportAll = () => {
    checkBuffers(maxHeapMb);
    for (const [id, instance] of instances) {
      instance.tick();
      reportStatus(id, instance);
    }
    clock.after(statusPeriodMs, reportAll);
  };
  /** What devices have not answered when the lease ends is not to reach them later. */
  const watchLease = (wasValid: boolean) => {
    const leftMs = deadline?.remainingMs(deadline.epoch) ?? 0;
    if (wasValid && leftMs <= 0) for (const instance of instances.values()) instance.endWrites();
    clock.after(leftMs > 0 ? leftMs : leasePeriodMs, () => watchLease(leftMs > 0));
  };
  if (deadline !== undefined) watchLease(false);
  const client: Link<HostClient> = parentLink<HostClient, HostThread>(handlers);
  const processes = new AskedProcesses(client);
  reportAll();
  client.notify('opened', []);
}

function emptyTable(): PointTable {
  return { measurements: new Map(), commands: new Map(), coming: [], alarms: new Map(), isWhole: false };
}

/** The bound of the heap does not count buffers: a stack that leaks them would take the memory of the whole service. */
function checkBuffers(maxMb: number): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers > maxMb * 2 ** 20) throw new Error(`its buffers take more memory than ${maxMb} MiB`);
}

main();
