// The conformance suite: what every stack must do and must not do, as tests of node:test.
import { describe } from 'node:test';
import type { ConformanceWorlds } from './conformance-world.ts';

/** Registers the tests of a connector, of a provider, or of both. Call it at the top of a test file. */
export function conformance(name: string, { connector, provider }: ConformanceWorlds): void {
  if (connector === undefined && provider === undefined) throw new Error('a connector or a provider is required');
  describe(`${name} conforms`, () => {});
}
