// The way of values through the process: batches of a connector in; messages to watchers, alarms and records of the
// archive out. The real parts, put together as the server does it, without sockets and disk; beside them a hand-written
// loop that does the same. Processor time of the main thread counts.
import { FlowPeer } from './flow-peer.ts';
import { type Flow, flowAlarm, flowPoint, type Mix, type Order, type Outcome, scanOf } from './flow-plant.ts';
import { FlowServer } from './flow-server.ts';
import { atLeast, type Benchmark, busyMs, type Result, takeTurns } from './measure.ts';
import { plantSize } from './plant.ts';

const warmUp = 2;
const rounds = 7;
const scansATurn = 5;
const clients = 10;
const watchedByEach = 1000;
const mixes = { few: 'a tenth changing', all: 'all changing' } as const;
const orders = { scan: 'in scan order', none: 'in no order' } as const;

export const flow: Benchmark = {
  name: 'flow',
  title: `readings of ${plantSize} points to watchers, alarms and the archive, against a hand-written loop`,
  async run(say) {
    const ours = new FlowServer();
    const peer = new FlowPeer();
    const sides = [ours, peer].map(scanning);
    const results: Result[] = [];
    for (const mix of ['few', 'all'] as const) {
      for (const order of ['scan', 'none'] as const) {
        const turns = sides.map((scans) => () => scans(mix, order));
        await takeTurns(warmUp, ...turns);
        const [ourMs = 1, peerMs = 1] = await takeTurns(rounds, ...turns);
        const what = `${mixes[mix]}, ${orders[order]}`;
        const rate = (ms: number) => `${((plantSize * scansATurn) / ms / 1000).toFixed(1)} million`;
        say(`readings a second and core, ${what}: ours ${rate(ourMs)}, hand-written ${rate(peerMs)}`);
        results.push(atLeast(`readings a second / hand-written loop, ${what}`, peerMs / ourMs, 0.5));
      }
    }
    compare(ours.outcome, peer.outcome);
    ours.close();
    return results;
  },
};

function configure(side: Flow): void {
  for (let index = 0; index < plantSize; index++) side.put(flowPoint(index), flowAlarm(index));
  for (let client = 0; client < clients; client++) {
    const first = (client * plantSize) / clients;
    side.watch(Array.from({ length: watchedByEach }, (_, at) => first + at));
  }
}

/** Passes some scans through the side; answers how long it took, without the time for making them. */
function scanning(side: Flow): (mix: Mix, order: Order) => number {
  configure(side);
  let number = 0;
  return (mix, order) => {
    let tookMs = 0;
    for (let round = 0; round < scansATurn; round++) {
      const messages = scanOf(++number, mix, order);
      tookMs += busyMs(() => {
        for (const message of messages) side.apply(message);
        side.flush();
      });
    }
    return tookMs;
  };
}

/** Two sides that do not do the same cannot be compared. */
function compare(ours: Outcome, peer: Outcome): void {
  const [one, other] = [ours, peer].map((outcome) => JSON.stringify(outcome));
  if (one !== other || ours.transitions === 0) throw new Error(`ours made ${one} of the readings, the peer ${other}`);
}
