// The conformance suite: what every stack must do and must not do, as tests of node:test.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import type { ConformanceWorlds, ConnectorWorld, ProviderWorld } from './conformance-world.ts';
import { ConnectorBench } from './connector-bench.ts';
import { type Hosting, testConnector } from './connector-conformance.ts';
import { testFaults } from './connector-fault-conformance.ts';
import { testLeaks } from './connector-leak-conformance.ts';
import { testLoss } from './connector-loss-conformance.ts';
import { testWrites } from './connector-write-conformance.ts';
import { ListenerWarnings } from './leaks.ts';
import { ProviderBench } from './provider-bench.ts';
import { type Serving, testProvider } from './provider-conformance.ts';
import { testCrowds } from './provider-crowd-conformance.ts';
import { testGreed } from './provider-greed-conformance.ts';
import { askedRounds } from './rounds.ts';

/** Registers the tests of a connector, of a provider, or of both. Call it at the top of a test file. */
export function conformance(name: string, { connector, provider }: ConformanceWorlds): void {
  if (connector === undefined && provider === undefined) throw new Error('a connector or a provider is required');
  if (connector !== undefined) {
    describe(`the connector of ${name}`, { skip: connector.skip ?? false }, () => {
      testNoWarnings();
      conformConnector(connector);
    });
  }
  if (provider !== undefined) {
    describe(`the provider of ${name}`, { skip: provider.skip ?? false }, () => {
      testNoWarnings();
      conformProvider(provider);
    });
  }
}

function conformConnector(world: ConnectorWorld): void {
  let started: ConnectorBench | undefined;
  const bench = () => started ?? assert.fail('the device has not been started');
  before(async () => {
    started = await ConnectorBench.start(world);
  });
  after(() => started?.stop());
  /** A connector that runs during the test; whatever it did that it must not, fails the test. */
  const hosting: Hosting = async (run) => {
    await bench().begin();
    const hosted = bench().host();
    hosted.setPoints();
    try {
      await run(hosted);
    } finally {
      await bench().way.repair();
      await hosted.stop();
    }
    assert.deepEqual(hosted.wrong, []);
  };
  testConnector(world, bench, hosting);
  if (world.transport !== 'none') {
    testLoss(world, bench, hosting);
    testWrites(world, bench, hosting);
    testFaults(world, bench, hosting);
  }
  testLeaks(world, bench, hosting, askedRounds());
}

function conformProvider(world: ProviderWorld): void {
  let started: ProviderBench | undefined;
  const bench = () => started ?? assert.fail('the world of the provider has not been started');
  before(async () => {
    started = await ProviderBench.start(world);
  });
  after(() => started?.stop());
  /** A provider that runs during the test, and a client of it. */
  const serving: Serving = async (run) => {
    const hosted = await bench().startProvider();
    try {
      await bench().withClient((client) => run(hosted, client));
    } finally {
      await bench().way?.repair();
      await hosted.stop();
    }
    assert.deepEqual(hosted.wrong, []);
  };
  testProvider(world, bench, serving);
  testCrowds(world, bench, serving, askedRounds());
  testGreed(world, bench, serving);
}

/** Too many listeners somewhere: Node tells, and that fails the test. */
function testNoWarnings(): void {
  const warnings = new ListenerWarnings();
  before(() => warnings.start());
  after(() => warnings.stop());
  afterEach(() => assert.deepEqual(warnings.texts.splice(0), []));
}
