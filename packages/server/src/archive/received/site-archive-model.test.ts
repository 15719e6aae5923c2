// Holds what two nodes of a site have of each other against one archive to which everything happened in its order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { archiveAnswer, siteAnswer } from '../../../test/archive-answers.ts';
import { Pair } from '../../../test/pair-world.ts';
import { aRecord, times } from '../../../test/sent-world.ts';
import { keys } from '../../../test/store-model.ts';
import type { ReadRequest } from '../archive-access.ts';
import type { SeriesKey } from '../records.ts';

const runs = Number(process.env.MODEL_RUNS ?? 30);

type Step = (pair: Pair) => unknown;

const aTime = fc.constantFrom(...times);
const aNode = fc.constantFrom(0, 1);
const step = <T>(weight: number, arbitrary: fc.Arbitrary<T>, run: (pair: Pair, drawn: T) => unknown) => ({
  weight,
  arbitrary: arbitrary.map((drawn): Step => {
    const made = (pair: Pair) => run(pair, drawn);
    return Object.assign(made, { [fc.toStringMethod]: () => `${run} ${fc.stringify(drawn)}` });
  }),
});
const steps: readonly fc.WeightedArbitrary<Step>[] = [
  step(8, fc.array(aRecord, { minLength: 1, maxLength: 10 }), (pair, records) => pair.record(records)),
  step(2, fc.tuple(fc.constantFrom(0, 2, 3), aTime, aTime), (pair, erased) => pair.erase(...erased)),
  step(3, aNode, (pair, node) => pair.lead(node)),
  step(6, fc.tuple(aNode, fc.array(fc.constantFrom(0, 0, 1, 2), { maxLength: 4 })), (pair, sent) => pair.send(...sent)),
  step(2, aNode, ({ nodes }, node) => nodes[node]?.archive.freeze()),
  step(3, aNode, ({ nodes }, node) => nodes[node]?.flush()),
  step(2, fc.tuple(aNode, fc.boolean()), ({ nodes }, [node, all]) => nodes[node]?.merge(all)),
  step(2, aNode, ({ nodes }, node) => nodes[node]?.reopen()),
];

/** Each form of an answer that looks at records in a way of its own. */
const requests: readonly Partial<ReadRequest>[] = [
  {},
  { newestFirst: true },
  { warpHead: true, sinceUs: times[2] as number },
  { resampleUs: 700_000, sinceUs: times[4] as number, untilUs: (times[0] as number) + 5_000_000 },
  { maxPoints: 4, sinceUs: times[5] as number, untilUs: (times[0] as number) + 1 },
];

function assertSame({ nodes, whole }: Pair): void {
  for (const { kind, name } of [keys[0], keys[2], keys[3]] as SeriesKey[]) {
    for (const asked of requests) {
      const request = { kind, names: [name], known: [name], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json', ...asked };
      const expected = archiveAnswer(whole, request as ReadRequest).toString();
      for (const node of nodes) {
        const has = siteAnswer(node.archive, request as ReadRequest).toString();
        assert.equal(has, expected, `node ${node.name}: ${kind} ${name} ${JSON.stringify(asked)}`);
      }
    }
  }
}

test('both nodes come to the same history, that of the site, whoever leads, ends and sends when', async () => {
  const property = fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: 40, size: 'max' }), async (all) => {
    const pair = new Pair();
    try {
      for (const each of all) await each(pair);
      await pair.sendAll();
      assertSame(pair);
    } finally {
      pair.close();
    }
  });
  await fc.assert(property, { numRuns: runs });
});
