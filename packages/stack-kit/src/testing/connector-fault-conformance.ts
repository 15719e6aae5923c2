// What is asked of every connector when the answers of its device come late, in pieces, twice, cut off or garbled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectorBench } from './connector-bench.ts';
import type { Hosting } from './connector-conformance.ts';
import type { Fault } from './fault.ts';

interface Trouble {
  readonly name: string;
  readonly fault: (seed: number) => Fault;
}

const troubles: readonly Trouble[] = [
  { name: 'late', fault: () => ({ kind: 'delay', ms: 100 }) },
  { name: 'so late that nobody waits any more', fault: () => ({ kind: 'delay', ms: 800 }) },
  { name: 'a byte at a time', fault: () => ({ kind: 'drip', ms: 0 }) },
  { name: 'twice', fault: (seed) => ({ kind: 'duplicate', oneIn: 2, seed }) },
  { name: 'cut off', fault: (seed) => ({ kind: 'truncate', oneIn: 4, seed }) },
  { name: 'garbled', fault: (seed) => ({ kind: 'garble', oneIn: 3, seed }) },
  { name: 'mangled', fault: (seed) => ({ kind: 'mangle', oneIn: 3, seed }) },
];

const seeds = [1, 2];
/** So many answers are struck for each seed, or as many as come in this time. */
const strikes = 8;
const strikingMs = 1200;

export function testFaults(world: ConnectorBench['world'], bench: () => ConnectorBench, hosting: Hosting): void {
  for (const { name, fault } of troubles) {
    test(`answers that come ${name} never make a wrong value that is good, and do no lasting harm`, () =>
      hosting(async (hosted) => {
        const { way } = bench();
        await bench().untilRight(hosted);
        let struckInAll = 0;
        const isByChance = 'oneIn' in fault(0);
        for (const seed of isByChance ? seeds : [0]) {
          const chosen = fault(seed);
          bench().isBlind = isHidden(world, chosen);
          const before = way.struck;
          way.setFaults({ toClient: chosen });
          const endMs = performance.now() + strikingMs;
          while (performance.now() < endMs && way.struck - before < strikes) {
            await bench().change();
            await sleep(20);
          }
          struckInAll += way.struck - before;
          way.setFaults({});
          // What was garbled may be shown until it is read again.
          await bench().change();
          await bench().untilRight(hosted);
          bench().isBlind = false;
          await bench().change();
          await bench().untilRight(hosted);
        }
        if (isByChance) assert.ok(struckInAll > 0, 'no answer was struck: the test has tested nothing');
      }));
  }
}

/** Nobody who speaks this protocol could see that something is wrong. */
function isHidden({ recognisesGarbling, distinguishesAnswers }: ConnectorBench['world'], { kind }: Fault): boolean {
  const isChanged = kind === 'garble' || kind === 'mangle';
  const isRepeated = kind === 'duplicate' || kind === 'mangle';
  return (isChanged && !recognisesGarbling) || (isRepeated && distinguishesAnswers === false);
}
