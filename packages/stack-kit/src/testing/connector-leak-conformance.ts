// What is asked of every connector over the years: nothing is left when it ends, and nothing grows while it runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectorBench } from './connector-bench.ts';
import type { Hosting } from './connector-conformance.ts';
import type { HostedConnector } from './hosted-connector.ts';
import { allowedGrowth, memoryInUse, settledHoldings, untilNoMoreThan } from './leaks.ts';
import { type Rounds, untilEnough, warmUps } from './rounds.ts';
import { until } from './until.ts';

const underWayMs = 50;

export function testLeaks(
  world: ConnectorBench['world'],
  bench: () => ConnectorBench,
  hosting: Hosting,
  reconnects: Rounds,
): void {
  const openAndClose = async () => {
    const hosted = bench().host();
    hosted.setPoints();
    await bench().untilRight(hosted);
    await hosted.stop();
    assert.deepEqual(hosted.wrong, []);
    await until('no connection is left', () => bench().way.open === 0, { deadlineMs: 3000 });
    await bench().way.forget();
  };

  test('it is opened and closed, again and again, and nothing is left', async () => {
    await bench().begin();
    await openAndClose();
    const before = await settledHoldings();
    for (let turn = 0; turn < 5; turn++) await openAndClose();
    await untilNoMoreThan(before);
  });

  test('nothing is sent after it was closed', async () => {
    await bench().begin();
    const hosted = bench().host();
    hosted.setPoints();
    await bench().untilRight(hosted);
    await hosted.stop();
    // What was under way is there by then.
    await sleep(underWayMs);
    const { touched } = bench().way;
    await bench().later();
    assert.equal(bench().way.touched, touched);
  });

  test('it waits for its end with as many listeners after many requests as after a few', () =>
    hosting(async (hosted) => {
      const [command] = world.commands;
      const work = async (turns: number) => {
        for (let turn = 0; turn < turns; turn++) {
          const { batches } = hosted;
          await bench().change();
          await until('something comes', () => hosted.batches > batches);
          if (command !== undefined) await hosted.write(command.address, await bench().other(command));
        }
        await bench().untilRight(hosted);
      };
      await bench().untilRight(hosted);
      await work(5);
      const before = hosted.runListeners;
      await work(20);
      assert.ok(hosted.runListeners <= before + 5, `${before} listeners became ${hosted.runListeners}`);
    }));

  test('links that are lost and made again do not add up: no handle, no listener, no memory', async (t) => {
    await bench().begin();
    let hosted: HostedConnector | undefined;
    const relink = world.transport === 'tcp' ? () => lose(hosted as HostedConnector) : openAndClose;
    if (world.transport === 'tcp') {
      hosted = bench().host();
      hosted.setPoints();
      await bench().untilRight(hosted);
    }
    try {
      await untilEnough(warmUps, relink);
      await bench().way.forget();
      const [handles, memory] = [await settledHoldings(), await memoryInUse()];
      const made = await untilEnough(reconnects, relink);
      t.diagnostic(`${made} links`);
      await bench().way.forget();
      await untilNoMoreThan(handles);
      const growth = (await memoryInUse()) - memory;
      t.diagnostic(`${Math.round(growth / 1024)} KiB more memory in use`);
      assert.ok(growth <= allowedGrowth(made), `${growth} bytes more after ${made} links`);
    } finally {
      await hosted?.stop();
    }
    assert.deepEqual(hosted?.wrong ?? [], []);
  });

  async function lose(hosted: HostedConnector): Promise<void> {
    const { connects } = hosted.connection.status().counters;
    bench().way.reset();
    await bench().untilRelinked(hosted, connects);
    await bench().untilRight(hosted);
  }
}
