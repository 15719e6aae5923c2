import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, CommandExplanation, checker, datatypes, stored, zeroOf } from '@telltale/schema';
import { noDetail } from '@telltale/stack-kit/host';
import fc from 'fast-check';
import type { CommandView } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { explainCommand } from './explain-command.ts';

const explanation = checker(CommandExplanation);
const anyText = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });

const anyStatus = fc
  .record({
    state: fc.constantFrom('connecting' as const, 'up' as const, 'down' as const, 'failed' as const),
    lastError: fc.option(fc.record({ text: fc.string({ unit: 'binary' }), timeUs: fc.nat() }), { nil: undefined }),
    name: fc.constantFrom('c', '__proto__'),
  })
  .map((some) => ({ ...some, stackName: 's', sinceUs: 1, detail: noDetail }) as unknown as InstanceStatus);

const anyView: fc.Arbitrary<CommandView> = fc
  .record({
    datatype: fc.constantFrom(...datatypes),
    timeUs: fc.nat(),
    origin: fc.constantFrom('written' as const, 'initial' as const, 'never' as const),
    by: anyText,
    attempt: fc.option(
      fc.record({
        value: fc.string({ unit: 'binary', maxLength: 201 }),
        timeUs: fc.nat(),
        by: anyText,
        outcome: fc.constantFrom('underway' as const, 'accepted' as const, 'refused' as const, 'unknown' as const),
        error: anyText,
      }),
      { nil: undefined },
    ),
  })
  .map((some) => ({ ...some, value: stored(zeroOf(some.datatype)), raw: undefined }));

test('whatever was written, by whomever, and whatever became of it: it is explained, and as the schema says', () => {
  const property = fc.property(
    anyView,
    fc.option(anyStatus, { nil: undefined }),
    fc.option(fc.constantFrom('c', '__proto__'), { nil: undefined }),
    (view, status, connectorName) => {
      const point: Command = {
        name: 'p',
        datatype: view.datatype,
        ...(connectorName !== undefined && { connectorName, address: 'a' }),
        providerAddresses: JSON.parse('{"__proto__": "x", "nobody": "y"}'),
      };
      const providers = new Map(status === undefined ? [] : [['__proto__', status]]);
      const found = explainCommand({ point, view, status, providers, rendering: undefined });
      assert.deepEqual(explanation.faults(JSON.parse(JSON.stringify(found))), []);
      assert.equal(found.providers.length, providers.size);
      // Who only reads the summary never takes a value for written that was not, nor a refused write for an accepted one.
      if (view.origin !== 'written') assert.match(found.summary, /^It was never written/);
      if (view.attempt?.outcome === 'refused') assert.match(found.summary, /was refused:/);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
