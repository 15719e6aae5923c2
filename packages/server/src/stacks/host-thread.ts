// A thread of the stacks: runs its connectors and providers, and tells the server's thread what they bring.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Batch, systemClock as clock, parseJson } from '@telltale/schema';
import { Refused, type StackAlarm, type StackPoint } from '@telltale/stack-kit';
import { HostedInstance, type PointTable } from './hosted-instance.ts';
import { createLimitedLog } from './limited-log.ts';
import { loadStacks } from './load-stacks.ts';
import { consume, Outbox } from './outbox.ts';
import type { FromThread, HostStart, ToThread } from './protocol.ts';
import { AskedProcesses } from './thread-processes.ts';

const statusPeriodMs = 1000;
/** What is not loaded after this long does not keep the thread busy: it waits for something, or for ever. */
const maxLoadMs = 45_000;

type ThreadHandlers = { [K in ToThread['kind']]: (message: ToThread & { kind: K }) => void };

function main(): void {
  if (parentPort === null) throw new Error('host-thread.ts runs as a worker thread');
  const port = parentPort;
  const { stackModules, maxHeapMb, folder, consumedByClient, consumedByThread, ...settings } = workerData as HostStart;
  const say = (message: FromThread) => port.postMessage(message);
  const findStack = loadStacks(stackModules, clock);
  const instances = new Map<number, HostedInstance>();
  const told = new Map<number, string>();
  const questions = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  const browses = new Map<number, AbortController>();
  /** By role and name: a later one begins when all earlier ones have given back what they had. */
  const endings = new Map<string, Promise<void>>();
  let lastQuestion = 0;
  let loads = 0;
  const processes = new AskedProcesses(say);
  const outbox = new Outbox({
    consumed: consumedByClient,
    clock,
    post(id, batch) {
      port.postMessage({ kind: 'readings', id, batch } satisfies FromThread, [batch.buffer]);
    },
  });

  const tellStatus = (id: number, instance: HostedInstance) => {
    const report = instance.report();
    const text = JSON.stringify(report);
    if (told.get(id) === text) return;
    told.set(id, text);
    say({ kind: 'status', id, report });
  };

  const loading = async <Module>(load: () => Promise<Module>): Promise<Module> => {
    if (loads++ === 0) say({ kind: 'loading', isLoading: true });
    let end = () => {
      end = () => {};
      if (--loads === 0) say({ kind: 'loading', isLoading: false });
    };
    const takeBack = clock.after(maxLoadMs, () => end());
    try {
      return await load();
    } finally {
      takeBack();
      end();
    }
  };

  const start = ({ id, role, instance, replaces }: ToThread & { kind: 'start' }) => {
    const { name } = instance;
    const earlier = replaces === undefined ? undefined : instances.get(replaces);
    const points: PointTable = earlier?.points ?? emptyTable();
    points.isWhole = false; // those of its rendering are on their way
    const hosted = new HostedInstance({
      ...settings,
      role,
      instance,
      points,
      findStack,
      clock,
      random: Math.random,
      log: createLimitedLog(clock, (level, text) => say({ kind: 'log', role, name, level, text })),
      folder: join(folder, `${role}-${name}`),
      onReadings: (batch) => outbox.send(id, batch, (point) => points.measurements.has(point)),
      onLink(up, reason, timeUs) {
        outbox.flush(id);
        say({ kind: 'link', id, up, reason, timeUs });
      },
      onState: () => tellStatus(id, hosted),
      loading,
      startProcess: (...process) => processes.start(...process),
      ask(wish) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const question = ++lastQuestion;
        questions.set(question, { resolve, reject });
        say({ kind: 'ask', question, id, wish });
        return promise;
      },
    });
    instances.set(id, hosted);
    if (replaces !== undefined && earlier !== undefined) stop(replaces, earlier);
    const ending = endings.get(hosted.key);
    if (ending === undefined) hosted.begin();
    else ending.then(() => instances.has(id) && hosted.begin());
  };

  const stop = (id: number, instance: HostedInstance): void => {
    instances.delete(id);
    const { key } = instance;
    const ending = Promise.all([endings.get(key), instance.stop()]).then(() => {
      told.delete(id);
      outbox.forget(id);
      if (endings.get(key) === ending) endings.delete(key);
      say({ kind: 'stopped', id, report: instance.report() });
    });
    endings.set(key, ending);
  };

  const handlers: ThreadHandlers = {
    start,
    stop({ id }) {
      const instance = instances.get(id);
      if (instance !== undefined) stop(id, instance);
    },
    putPoints: ({ id, measurements, commands }) =>
      instances.get(id)?.putPoints({ measurements: parseJson(measurements) as StackPoint[], commands }),
    dropPoints: ({ id }) => instances.get(id)?.dropPoints(),
    pointsDone: ({ id, gone }) => instances.get(id)?.pointsDone(gone),
    confirm: ({ question }) => say({ kind: 'confirmed', question }),
    async write({ id, write, commandId, value, askedMs }) {
      const outcome = await instances.get(id)?.write(commandId, value, askedMs);
      say({ kind: 'written', write, outcome: outcome ?? { kind: 'notConnected', reason: 'it is stopped' } });
    },
    explain({ id, question, measurementId }) {
      const outcome = instances.get(id)?.explain(measurementId) ?? { kind: 'explained', trace: undefined };
      outbox.flush(id); // what it tells of is there before it
      say({ kind: 'explained', question, outcome });
    },
    async browse({ id, question, request }) {
      const asker = new AbortController();
      browses.set(question, asker);
      const outcome = await instances.get(id)?.browse(request, asker.signal);
      browses.delete(question);
      say({ kind: 'browsed', question, outcome: outcome ?? { kind: 'notConnected', reason: 'it is stopped' } });
    },
    abort: ({ question }) => browses.get(question)?.abort(new Error('nobody waits for the answer any more')),
    setAlarms: ({ id, alarms }) => instances.get(id)?.setAlarms(parseJson(alarms) as StackAlarm[]),
    publishAlarms: ({ id, states }) => instances.get(id)?.publishAlarms(states),
    publish({ id, batch }) {
      instances.get(id)?.publish(Batch.from(batch));
      consume(consumedByThread, batch);
    },
    answer({ question, failure }) {
      const waiting = questions.get(question);
      questions.delete(question);
      if (failure === undefined) waiting?.resolve();
      else waiting?.reject(failure.isSure ? new Refused(failure.reason) : new Error(failure.reason));
    },
    fromProcess: ({ process, message }) => processes.heard(process, message),
    processEnded: ({ process, reason }) => processes.ended(process, reason),
    ping: () => say({ kind: 'pong' }),
    async close() {
      for (const [id, instance] of instances) stop(id, instance);
      await Promise.all(endings.values());
      say({ kind: 'closed' });
    },
  };

  const tellAll = () => {
    checkBuffers(maxHeapMb);
    for (const [id, instance] of instances) {
      instance.tick();
      tellStatus(id, instance);
    }
    clock.after(statusPeriodMs, tellAll);
  };
  port.on('message', (message: ToThread) => (handlers[message.kind] as (message: ToThread) => void)(message));
  tellAll();
  say({ kind: 'opened' });
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
