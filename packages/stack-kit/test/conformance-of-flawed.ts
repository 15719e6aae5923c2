// Run by `node --test` as a child: holds the stack with the flaw that the environment names to the suite.
import { conformance } from '../src/testing/index.ts';
import { flaws } from './flawed-line-connectors.ts';
import { providerFlaws } from './flawed-line-providers.ts';
import { lineConnectorWorld, lineProviderWorld, lineStack } from './line-world.ts';

const flaw = process.env.LINE_FLAW ?? '';
const stack = lineStack(flaws[flaw]?.make, providerFlaws[flaw]?.make);
// What never comes is not waited for as long as in the tests of sound stacks.
conformance('a flawed stack', {
  connector: { ...lineConnectorWorld(stack), silenceMs: 2500, recoveryMs: 2500 },
  provider: { ...lineProviderWorld(stack), seenMs: 2500 },
});
