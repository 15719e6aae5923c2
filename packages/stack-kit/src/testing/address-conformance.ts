// What is asked of the addresses of every role.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StackRole } from '../define-stack.ts';
import type { ConnectorWorld, ProviderWorld } from './conformance-world.ts';

type Addressed = Pick<ConnectorWorld | ProviderWorld, 'measurements' | 'commands'>;

export function testAddresses(world: Addressed, role: () => StackRole): void {
  test('the addresses of the world pass the check', () => {
    const faults = (['measurement', 'command'] as const).flatMap((kind) =>
      world[`${kind}s`].map(({ address, datatype, properties }) =>
        role().checkAddress(kind, address, { datatype, properties }),
      ),
    );
    assert.deepEqual(
      faults.filter((fault) => fault !== undefined),
      [],
    );
  });
}
