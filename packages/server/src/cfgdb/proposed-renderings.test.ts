// A rendering is proposed before it is committed: what cannot be made ready to run is never kept, and what is kept takes
// effect before the answer.
import assert from 'node:assert/strict';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ProblemError } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ConfigurationDatabase } from './configuration-database.ts';
import { readRendering } from './rendering.ts';

let cfgdb: ConfigurationDatabase;
let folder: string;
/** What has happened to renderings. */
let events: string[];
/** Why the next ones cannot be made ready. */
let flaw: string | undefined;
let failures: string[];
let takeOver: () => void;

beforeEach(async (t) => {
  [events, flaw, failures, takeOver] = [[], undefined, [], () => undefined];
  folder = temporaryFolder(t);
  cfgdb = new ConfigurationDatabase({
    folder,
    stackModules: [],
    prepare: async (bytes) => {
      const names = Array.from(readRendering(bytes), (change) => (change?.after ?? change?.before)?.name);
      await nextTurn();
      if (flaw !== undefined) throw new Error(flaw);
      events.push(`prepare ${names}`);
      return {
        takeOver: () => {
          takeOver();
          events.push('take over');
          return nextTurn().then(() => void events.push('confirmed'));
        },
        drop: () => events.push('drop'),
      };
    },
    onFailure: ({ message }) => failures.push(message),
  });
  cleanupOf(t).defer(() => cfgdb.close(5000));
  await cfgdb.open();
  events.length = 0;
});

const objectOf = (name: string) => ({ name, severity: 1 });
const put = (name: string) =>
  cfgdb.call('put', 'alarms', name, Buffer.from(JSON.stringify(objectOf(name))), 'somebody');
const render = () => cfgdb.call('render', { force: false }, 'somebody');

function transact(name: string, commit = true): Promise<void> {
  const operations = [{ operation: 'put', family: 'alarms', name, object: objectOf(name) }];
  const body = Buffer.from(JSON.stringify({ operations }));
  return cfgdb.call('transaction', body, { commit, render: true }, 'somebody');
}

const names = async () => JSON.parse(Buffer.from(await cfgdb.call('names', 'alarms')).toString()) as string[];
const revisions = async () => (await cfgdb.call('revisions')).map(({ id }) => id);

async function refusal(operation: Promise<unknown>): Promise<string> {
  const error = await operation.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProblemError && error.problem === 'render-refused', String(error));
  return error.message;
}

test('what is rendered is ready before it is kept, and takes effect before the answer', async () => {
  await put('a');
  assert.deepEqual(events, []);
  const done = render().then(() => events.push('answer'));
  const asked = put('b').then(() => events.push('the next change'));
  await Promise.all([done, asked]);
  // The next change waits until it is in effect, not until the stacks have confirmed it.
  const seen: string[] = [...events];
  assert.ok(seen.indexOf('the next change') > seen.indexOf('take over'));
  const own = seen.filter((event) => event !== 'the next change');
  assert.deepEqual(own, ['prepare a', 'take over', 'confirmed', 'answer']);
  await transact('c');
  assert.deepEqual(events.slice(5), ['prepare b,c', 'take over', 'confirmed']);
});

test('reads beside it neither drop it nor let it take effect', async () => {
  await put('a');
  const reads = Promise.all(Array.from({ length: 20 }, () => names()));
  const rendering = render();
  await Promise.all([reads, rendering, ...Array.from({ length: 20 }, () => names())]);
  assert.deepEqual(events, ['prepare a', 'take over', 'confirmed']);
});

describe('what cannot be made ready', () => {
  test('is refused with the reason; what was rendered before stays, and it is not up to date', async () => {
    await put('a');
    flaw = 'no handle is left';
    const reported =
      'It cannot be made ready to run: no handle is left. Nothing was changed, and what ran before runs on.';
    assert.equal(await refusal(render()), reported);
    assert.equal(await cfgdb.call('upToDate'), false);
    assert.deepEqual([events, await revisions(), await names()], [[], [], ['a']]);
    flaw = undefined;
    await render();
    assert.deepEqual([events, await revisions()], [['prepare a', 'take over', 'confirmed'], [1]]);
    assert.equal(await cfgdb.call('upToDate'), true);
  });

  test('takes its transaction, restore or upload with it', async () => {
    await transact('a');
    await transact('b');
    const database = await cfgdb.download();
    const path = join(folder, 'copy.sqlite');
    writeFileSync(path, Buffer.concat(await database.stream.toArray()));
    await cfgdb.call('delete', 'alarms', 'a', 'somebody');
    events.length = 0;
    flaw = 'x'.repeat(10_000);
    const reported = await refusal(transact('c'));
    assert.ok(reported.length > 1000 && reported.length < 3000, 'a long reason is cut');
    await refusal(cfgdb.call('restore', 1, { render: true }, 'somebody'));
    await refusal(cfgdb.upload(createReadStream(path), { render: true }, 'somebody'));
    assert.deepEqual([events, await revisions(), await names()], [[], [2, 1], ['b']]);
    assert.equal(await cfgdb.call('upToDate'), false);
    flaw = undefined;
    await cfgdb.upload(createReadStream(path), { render: true }, 'somebody');
    assert.deepEqual(await names(), ['a', 'b']);
  });
});

test('a transaction that is only tried is made ready, and dropped', async () => {
  await transact('a', false);
  assert.deepEqual([events, await revisions(), await names()], [['prepare a', 'drop'], [], []]);
  flaw = 'no handle is left';
  await refusal(transact('a', false));
});

test('an upload that is not rendered changes nothing of what runs', async () => {
  await transact('a');
  const database = await cfgdb.download();
  const { stream } = database;
  events.length = 0;
  await cfgdb.upload(stream, { render: false }, 'somebody');
  assert.deepEqual([events, await revisions()], [[], [1]]);
});

test('should it fail to take effect, the server is asked to end', async () => {
  takeOver = () => {
    throw new Error('half of it runs');
  };
  await transact('a');
  assert.deepEqual(failures, ['half of it runs']);
});
