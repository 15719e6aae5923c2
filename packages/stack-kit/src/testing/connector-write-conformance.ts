// What is asked of every connector when something befalls the way while it writes: what it says of the write is true, and
// the device gets it once at most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Value } from '@telltale/schema';
import type { WriteOutcome } from '../link/index.ts';
import { notPermitted } from '../write-result.ts';
import type { SamplePoint } from './conformance-world.ts';
import type { ConnectorBench } from './connector-bench.ts';
import type { Hosting } from './connector-conformance.ts';
import type { Faults } from './fault.ts';
import { type HostedConnector, isSame } from './hosted-connector.ts';
import { until } from './until.ts';
import type { Way } from './way.ts';

interface Trouble {
  readonly name: string;
  readonly faults: (seed: number) => Faults;
  /** Happens once the device has the value: the way ends. */
  readonly strike?: (way: Way) => void | Promise<void>;
  /** The device gets the request, and nobody its answer. */
  readonly isUnanswered?: boolean;
  /** Bits are changed, so that only those who check can tell. */
  readonly isChanged?: boolean;
}

const onAnswers: readonly Trouble[] = [
  { name: 'stalls', faults: () => ({ toClient: { kind: 'stall' } }), isUnanswered: true },
  { name: 'is cut off', faults: (seed) => ({ toClient: { kind: 'truncate', oneIn: 1, seed } }) },
  { name: 'is garbled', faults: (seed) => ({ toClient: { kind: 'garble', oneIn: 1, seed } }), isChanged: true },
  { name: 'is mangled', faults: (seed) => ({ toClient: { kind: 'mangle', oneIn: 1, seed } }), isChanged: true },
];
const onAnswersOfTcp: readonly Trouble[] = [
  {
    name: 'is lost with the link',
    faults: () => ({ toClient: { kind: 'stall' } }),
    strike: (way) => way.reset(),
    isUnanswered: true,
  },
  {
    name: 'is lost as the device hangs up',
    faults: () => ({ toClient: { kind: 'discard' } }),
    strike: (way) => way.hangUp(),
    isUnanswered: true,
  },
];
const onRequests: readonly Trouble[] = [
  { name: 'stalls', faults: () => ({ toDevice: { kind: 'stall' } }) },
  { name: 'is cut off', faults: (seed) => ({ toDevice: { kind: 'truncate', oneIn: 1, seed } }) },
  { name: 'is garbled', faults: (seed) => ({ toDevice: { kind: 'garble', oneIn: 1, seed } }), isChanged: true },
];
const seeds = [1, 2, 3];

export function testWrites(world: ConnectorBench['world'], bench: () => ConnectorBench, hosting: Hosting): void {
  const [command] = world.commands;
  if (command === undefined) return;
  const answers = world.transport === 'tcp' ? [...onAnswers, ...onAnswersOfTcp] : onAnswers;
  for (const trouble of answers) {
    test(`whatever befalls the answer to a write: where it ${trouble.name}, what is said of it is true`, () =>
      hosting((hosted) => tryAll(hosted, trouble, command)));
  }
  for (const trouble of onRequests) {
    test(`whatever befalls the request of a write: where it ${trouble.name}, what is said of it is true`, () =>
      hosting((hosted) => tryAll(hosted, trouble, command)));
  }

  test('a write that the node may not send any more is not sent, and the next one is that it may', () =>
    hosting(async (hosted) => {
      const { address } = command;
      await bench().untilRight(hosted);
      const [before, value] = [await bench().device.get(address), await bench().other(command)];
      bench().mayWrite = false;
      const outcomes = [await hosted.write(address, value), ...(await hosted.writeMany([{ address, value }]))];
      for (const outcome of outcomes) assert.deepEqual(outcome, { kind: 'notConnected', reason: notPermitted });
      await bench().later();
      assert.ok(isSame(await bench().device.get(address), before));
      bench().mayWrite = true;
      assert.equal((await hosted.write(address, value)).kind, 'accepted');
      await until(`the device has ${value}`, async () => isSame(await bench().device.get(address), value));
    }));

  async function tryAll(hosted: HostedConnector, trouble: Trouble, sample: SamplePoint): Promise<void> {
    const isByChance = Object.values(trouble.faults(0)).some((fault) => 'seed' in fault);
    const before = bench().way.struck;
    for (const seed of isByChance ? seeds : [0]) await tryOnce(hosted, trouble, sample, seed);
    if (isByChance) assert.ok(bench().way.struck > before, 'nothing was struck: the test has tested nothing');
  }

  async function tryOnce(hosted: HostedConnector, trouble: Trouble, sample: SamplePoint, seed: number): Promise<void> {
    const { address } = sample;
    const { way, device } = bench();
    bench().isBlind = trouble.isChanged === true && !world.recognisesGarbling;
    await bench().untilRight(hosted);
    const value = await bench().other(sample);
    const other = sample.values.find((each) => !isSame(each, value)) as Value;
    await using taking = new Taking(bench(), address, value, other);
    way.setFaults(trouble.faults(seed));
    const writing = hosted.write(address, value);
    if (trouble.isUnanswered) await until('the device has it', () => taking.count > 0);
    await trouble.strike?.(way);
    const outcome = await writing;
    await way.repair();
    await bench().change();
    await bench().untilRight(hosted);
    await bench().later();
    judge(outcome, taking.count, trouble);
    bench().isBlind = false;
    await taking[Symbol.asyncDispose]();
    // What came late is not taken for the answer to the next.
    // A link that has noticed late what befell it may have to be made again first.
    await until('the next write is accepted', async () => (await hosted.write(address, value)).kind === 'accepted');
    await until(`the device has ${value}`, async () => isSame(await device.get(address), value));
  }

  function judge(outcome: WriteOutcome, count: number, { isUnanswered = false, isChanged = false }: Trouble): void {
    const said = JSON.stringify(outcome);
    assert.ok(count <= 1, `the device had it ${count} times: ${said}`);
    // Nobody who speaks this protocol could see that something is wrong.
    if (isChanged && !world.recognisesGarbling) return;
    const isAnswered = world.writesAreAnswered !== false;
    if (outcome.kind === 'accepted' && isAnswered) {
      assert.equal(count, 1, 'accepted, though the device did not take it');
      assert.ok(!isUnanswered, 'accepted, though nobody has said so');
    }
    if (outcome.kind === 'refused' || outcome.kind === 'notConnected') {
      assert.equal(count, 0, `the device has taken it: ${said}`);
    }
  }
}

/** Counts how often the device takes the value: each time it is given another. */
class Taking implements AsyncDisposable {
  count = 0;
  readonly #ended = new AbortController();
  readonly #watching: Promise<void>;

  constructor({ device }: ConnectorBench, address: string, value: Value, other: Value) {
    const watch = async () => {
      while (!this.#ended.signal.aborted) {
        // What is garbled may be no value at all.
        const present = await Promise.try(() => device.get(address)).catch(() => undefined);
        if (isSame(present, value)) {
          this.count++;
          await device.set(address, other);
        } else await sleep(5);
      }
    };
    this.#watching = watch();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#watching;
  }
}
