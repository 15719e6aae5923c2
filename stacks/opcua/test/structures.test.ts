// Parts of structures and arrays, by path, against a server that defines the types itself.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { part, parts } from './structure-parts.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

describe('a part of a structure', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  const asked = async () => (await device.order({ kind: 'asked' })) as { created: number; deleted: number };
  const read = async (bench: UaBench) => {
    await bench.reads('speed', 1.5, quality.good);
    await bench.reads('running', 1, quality.good);
    await bench.reads('total', 1n, quality.good);
    await bench.reads('text', 'state 1', quality.good);
    await bench.reads('current', 3, quality.good);
    await bench.reads('nested', 'state 12', quality.good);
    await bench.reads('ofArray', 'state 3', quality.good);
    await bench.reads('element', 1, quality.good);
    await bench.reads('ofMatrix', 4, quality.good);
  };

  test('is read by path, and parts of one node share a monitored item', async () => {
    const { created } = await asked();
    await new UaBench(device).running(parts, async (bench) => {
      await read(bench);
      assert.equal((await asked()).created - created, 4, 'Motor, Motors, Temperatures and Grid');
      const trace = bench.connector.explain?.({ id: 3 } as never);
      assert.match(trace?.request ?? '', /s=Motor#State\.Text$/);
      assert.match(trace?.raw ?? '', /^String state 1, Good/);
      assert.equal(trace?.value, 'state 1');
    });
  });

  test('is read by path where values are polled', async () => {
    await new UaBench(device, { subscriptions: 'false', scanPeriodMs: '20' }).running(parts, read);
  });

  test('that comes or goes leaves the monitored item of the others alone', async () => {
    const { speed, text, nested } = parts;
    await new UaBench(device).running({ speed, text }, async (bench) => {
      await bench.reads('text', 'state 1', quality.good);
      const before = await asked();
      bench.setPoints({ speed, nested });
      await bench.reads('nested', 'state 12', quality.good);
      assert.deepEqual([(await asked()).created, (await asked()).deleted], [before.created, before.deleted]);
      bench.setPoints({});
    });
  });

  test('that does not exist is a configuration error that says what there is', async () => {
    const wrong = {
      field: part('Motor#State.Nothing', 'd'),
      proto: part('Motor#__proto__', 's'),
      element: part('Motor#Currents[3]', 'd'),
      scalar: part('Motor#Speed[0]', 'd'),
      array: part('Motors#State', 'd'),
      plain: part('Flow#Speed', 'd'),
    };
    await new UaBench(device).running(wrong, async (bench) => {
      for (const name of Object.keys(wrong)) await bench.has(name, quality.bad.configurationError);
      const error = (id: number) => bench.connector.explain?.({ id } as never)?.error ?? '';
      assert.equal(error(0), 'there is no field Nothing: StateType has Running, Total, Text');
      assert.match(error(1), /there is no field __proto__/);
      assert.match(error(2), /there is no element \[3\]: its size is \[3\]/);
      assert.match(error(3), /is no array/);
      assert.match(error(4), /is an array: name an element/);
      assert.match(error(5), /Double is no structure/);
    });
  });

  test('is found by browsing, with the address of its path', async () => {
    await new UaBench(device).running({}, async ({ connector }) => {
      const { signal } = new AbortController();
      const look = (path: string, cursor?: string, limit = 100) =>
        connector.browse?.({ path, cursor, limit }, signal) ?? assert.fail();
      const motor = UaDevice.address('Motor');
      const { items, cursor } = await look(motor);
      assert.deepEqual(
        items.map(({ title, path, measurement, command }) => {
          assert.deepEqual(command, measurement, 'what can be written is a command, too');
          return [title, path, measurement?.address, measurement?.datatype];
        }),
        [
          ['Speed', undefined, `${motor}#Speed`, 'd'],
          ['State', `${motor}#State`, undefined, undefined],
          ['Currents', `${motor}#Currents`, undefined, undefined],
          ['States', `${motor}#States`, undefined, undefined],
        ],
      );
      assert.deepEqual((await look(motor, cursor)).items, [], 'there are no nodes below it');
      const state = (await look(`${UaDevice.address('Motors')}#[1].State`)).items;
      assert.deepEqual(
        state.map(({ measurement }) => measurement?.datatype),
        ['b', 'l', 's'],
      );
      const first = await look(`${motor}#Currents`, undefined, 2);
      const rest = await look(`${motor}#Currents`, first.cursor, 2);
      const titles = [...first.items, ...rest.items].map(({ title }) => title);
      assert.deepEqual([titles, rest.cursor], [['[0]', '[1]', '[2]'], undefined]);
      await assert.rejects(look(`${motor}#Nothing`), { name: 'Refused', message: /there is no field Nothing/ });
      await assert.rejects(look(`${motor}#Speed`), { name: 'Refused', message: /no structure/ });
    });
  });
});
