// Commands that are written together, at devices of the test's own making.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { Datatype, Value } from '@telltale/schema';
import type { CommandWrite, Connector, WriteResult } from '@telltale/stack-kit';
import fc from 'fast-check';
import { type Script, ScriptedDevice } from '../test/scripted-device.ts';
import { TestLink } from '../test/test-link.ts';
import { parseAddress } from './address.ts';
import { planBlocks } from './write-block.ts';

const started: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});

type Write = readonly [address: string, datatype: Datatype, value: Value];

async function setUp(script: Script, given = {}) {
  const device = await ScriptedDevice.start(script);
  started.push(device);
  const link = new TestLink({ host: '127.0.0.1', port: device.port, timeoutMs: 300, ...given });
  started.push(link);
  await link.start();
  const connector = link.connector as Connector & WritesMany;
  const write = async (...writes: Write[]) => {
    const all = writes.map(([address, datatype, value], id) => {
      return { command: { id, name: `c${id}`, address, datatype, properties: {}, last: undefined }, value };
    });
    const results = await connector.writeMany(all, new AbortController().signal);
    return results.map((result) => (result.kind === 'accepted' ? 'accepted' : `${result.kind}: ${result.reason}`));
  };
  return { device, write };
}

interface WritesMany {
  writeMany(writes: readonly CommandWrite[], signal: AbortSignal): Promise<readonly WriteResult[]>;
}

/** Takes every write. */
const taking: Script = (_, request) => (request.startsWith('16') ? request : request.slice(0, 10));

describe('commands that are written together', () => {
  test('share a request where they follow each other, in their order', async () => {
    const { device, write } = await setUp(taking);
    const results = await write(
      ['hr10:int16', 'i', -1],
      ['hr11:float32', 'f', 1.5],
      ['hr13', 'i', 7],
      ['hr15', 'i', 8],
      ['hr14', 'i', 9],
      ['3/hr15', 'i', 1],
      ['co3', 'b', true],
      ['co4', 'b', false],
      ['co5', 'b', true],
      ['hr6.3', 'b', true],
    );
    assert.deepEqual(results, Array(10).fill('accepted'));
    assert.deepEqual(device.asked.slice(0, 5), [
      '1/10000a000408ffff3fc000000007',
      '1/06000f0008',
      '1/06000e0009',
      '3/06000f0001',
      '1/0f000300030105',
    ]);
    assert.match(device.asked[5] ?? '', /^1\/16/);
    assert.equal(device.asked.length, 6);
  });

  test('are one request for 100 registers, and several where that is too many', async () => {
    const { device, write } = await setUp(taking);
    const many = Array.from({ length: 100 }, (_, at): Write => [`hr${at}`, 'i', at]);
    assert.deepEqual(new Set(await write(...many)), new Set(['accepted']));
    assert.equal(device.asked.length, 1);
    const more = Array.from({ length: 130 }, (_, at): Write => [`hr${at}`, 'i', at]);
    await write(...more);
    assert.deepEqual(
      device.asked.slice(1).map((each) => each.slice(0, 12)),
      ['1/100000007b', '1/10007b0007'],
    );
  });

  test('are written one by one where that is set', async () => {
    const { device, write } = await setUp(taking, { maxWriteRegisters: 1 });
    await write(['hr1', 'i', 1], ['hr2', 'i', 2], ['hr3:float32', 'f', 1.5]);
    assert.deepEqual(device.asked, ['1/0600010001', '1/0600020002', '1/1000030002043fc00000']);
  });

  test('have an outcome each: what does not fit is not sent, and parts the block', async () => {
    const { device, write } = await setUp(taking);
    const results = await write(
      ['hr1', 'i', 1],
      ['hr2', 'i', -1],
      ['hr3', 'i', 3],
      ['hr4', 'i', 4],
      ['nowhere', 'i', 4],
    );
    assert.deepEqual(
      results.map((each) => each.split(':')[0]),
      ['accepted', 'refused', 'accepted', 'accepted', 'refused'],
    );
    assert.deepEqual(device.asked, ['1/0600010001', '1/10000300020400030004']);
  });

  for (const code of [1, 2, 3]) {
    test(`are written one by one where the device refuses the block with exception ${code}`, async () => {
      const { device, write } = await setUp((_, request) => {
        if (request.startsWith('10')) return `900${code}`;
        return request.startsWith('060002') ? '8602' : request;
      });
      assert.deepEqual(await write(['hr1', 'i', 1], ['hr2', 'i', 2], ['hr3', 'i', 3]), [
        'accepted',
        'refused: exception 2, illegal data address',
        'accepted',
      ]);
      assert.equal(device.asked.length, 4);
    });
  }

  test('are never sent again where the device may have the block', async () => {
    for (const [answer, outcome] of [
      ['9004', /^unknown: exception 4/],
      ['9006', /^refused: exception 6/],
      [undefined, /^unknown: .*did not answer within/],
    ] as const) {
      const { device, write } = await setUp(() => answer);
      for (const each of await write(['hr1', 'i', 1], ['hr2', 'i', 2])) assert.match(each, outcome);
      assert.equal(device.asked.length, 1);
    }
  });

  test('are read back together, each compared with its own value', async () => {
    const { device, write } = await setUp(
      (_, request) => (request.startsWith('03') ? '03080001' + '0009' + '3fc00000' : request.slice(0, 10)),
      { readBack: true },
    );
    assert.deepEqual(await write(['hr1', 'i', 1], ['hr2', 'i', 2], ['hr3:float32', 'f', 1.5]), [
      'accepted',
      'refused: hr2 is 9 after the write',
      'accepted',
    ]);
    assert.equal(device.asked.length, 2);
  });

  test('are written and read back by one function 23 where that is set, coils by two requests', async () => {
    const { device, write } = await setUp(
      (_, request) =>
        request.startsWith('17') ? '170400010002' : request.startsWith('01') ? '010105' : request.slice(0, 10),
      { readBack: true, readWrite: true },
    );
    assert.deepEqual(await write(['hr1', 'i', 1], ['hr2', 'i', 2]), ['accepted', 'accepted']);
    assert.deepEqual(device.asked, ['1/17000100020001000204' + '00010002']);
    assert.deepEqual(await write(['co0', 'b', true], ['co1', 'b', true], ['co2', 'b', true]), [
      'accepted',
      'refused: co1 is 0 after the write',
      'accepted',
    ]);
  });
});

test('blocks have every write once, in order, without gaps, and within the limit', () => {
  const address = fc.tuple(
    fc.integer({ min: 1, max: 2 }),
    fc.constantFrom('hr', 'co'),
    fc.integer({ min: 0, max: 6 }),
    fc.constantFrom('', ':float32', '.1'),
  );
  fc.assert(
    fc.property(fc.array(address, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (drawn, most) => {
      const writes = drawn.flatMap(([unit, area, start, type]) => {
        const parsed = parseAddress(`${area}${start}${area === 'hr' ? type : ''}`).address;
        return parsed === undefined ? [] : [{ unit, address: parsed, value: 1 }];
      });
      const blocks = planBlocks(writes, most);
      assert.deepEqual(blocks.flat(), writes);
      for (const block of blocks) {
        let end = block[0]?.address.start ?? 0;
        for (const {
          unit,
          address: { area, start, length, bit },
        } of block) {
          assert.deepEqual([unit, area, start], [block[0]?.unit, block[0]?.address.area, end]);
          assert.ok(block.length === 1 || bit === undefined);
          end += length;
        }
        const limit = block[0]?.address.area === 'co' ? 16 * most : most;
        assert.ok(block.length === 1 || end - (block[0]?.address.start ?? 0) <= limit);
      }
    }),
  );
});
