// A node as a process of its own: it has a lease on one thread, and another one writes to a device as long as the lease is valid.
import { connect, type Socket } from 'node:net';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '@telltale/schema';
import { EtcdClient } from '../src/lease/etcd/etcd-client.ts';
import { Lease } from '../src/lease/lease.ts';
import { readLeaseSetting } from '../src/lease/lease-setting.ts';
import { leaseTimes } from '../src/lease/lease-times.ts';
import { LeaseDeadline } from '../src/threads/index.ts';

export interface WriterOptions {
  readonly setting: string;
  readonly site: string;
  readonly node: string;
  readonly ttlMs: number;
  readonly device: number;
  /** False: it writes as long as it has not heard that it leads no more. */
  readonly checks: boolean;
}

interface Writing extends WriterOptions {
  readonly memory: SharedArrayBuffer;
}

const everyMs = 20;

function hold(options: WriterOptions): void {
  const { site, node, ttlMs } = options;
  const times = leaseTimes(ttlMs);
  const etcd = new EtcdClient({ setting: readLeaseSetting(options.setting), clock: systemClock, times });
  const description = { name: node, version: '1.0', address: `http://${node}.example` };
  const tellReady = () => {
    if (lease.status.leader !== undefined) console.log('ready');
  };
  const lease = new Lease({ etcd, clock: systemClock, site, node: description, onChange: tellReady });
  const data: Writing = { ...options, memory: lease.deadline.buffer };
  new Worker(new URL(import.meta.url), { workerData: data });
  lease.start();
  // This thread hangs for a while; the other one goes on.
  process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ttlMs));
}

function write({ memory, device, node, checks }: Writing): void {
  const deadline = new LeaseDeadline(systemClock, memory);
  let [socket, unanswered, accepted]: [Socket | undefined, number, number] = [undefined, 0, 0];
  setInterval(() => {
    // Under which it was accepted, a while ago.
    const [epoch, next] = [accepted, deadline.epoch];
    accepted = next;
    if (socket === undefined) {
      const opened = connect({ host: '127.0.0.1', port: device, noDelay: true });
      [socket, unanswered] = [opened, 0];
      opened.on('data', (bytes) => {
        unanswered -= bytes.toString().split('\n').length - 1;
      });
      opened
        .on('error', () => opened.destroy())
        .on('close', () => {
          socket = undefined;
        });
    }
    const isReady = socket.readyState === 'open';
    if (isReady && (checks ? deadline.isValid(epoch) : epoch > 0)) {
      socket.write(`${epoch} ${node}\n`);
      unanswered++;
    } else if (checks && unanswered > 0 && !deadline.isValid(epoch)) socket.resetAndDestroy();
  }, everyMs);
}

if (isMainThread) hold(JSON.parse(process.argv[2] ?? '{}') as WriterOptions);
else write(workerData as Writing);
