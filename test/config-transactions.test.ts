// Transactions over HTTP: all or nothing, in order, tried out, rendered, refused with the operation's index.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Family, familyNames, type RevisionSummary } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { ConfigClient } from './config-client.ts';
import { fullest, smallest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

beforeEach(() => clearConfiguration(client));

const putOf = (family: Family, name: string, object: unknown = smallest(family, name)) => ({
  operation: 'put',
  family,
  name,
  object,
});
const deleteOf = (family: Family, name: string) => ({ operation: 'delete', family, name });
const run = (operations: unknown[], query = '') => client.done('POST', `/cfgdb/txn${query}`, { body: { operations } });
const faults = (operations: unknown[], query = '') =>
  client.faulty('invalid-body', 'POST', `/cfgdb/txn${query}`, { body: { operations } });

/** Everything that the database holds. */
const everything = async () =>
  Object.fromEntries(await Promise.all(familyNames.map(async (family) => [family, await client.read(`/${family}`)])));
const revisions = () => client.read<RevisionSummary[]>('/cfgdb/revisions');

test('a transaction puts and deletes in every family at once', async () => {
  await run(familyNames.map((family) => putOf(family, 'old')));
  await run(familyNames.flatMap((family) => [putOf(family, 'new', fullest(family, 'new')), deleteOf(family, 'old')]));
  const expected = Object.fromEntries(familyNames.map((family) => [family, { new: fullest(family, 'new') }]));
  assert.deepEqual(await everything(), expected);
});

test('operations are carried out in order', async () => {
  await run([putOf('alarms', 'a'), deleteOf('alarms', 'a')]);
  assert.deepEqual(await client.read('/alarms'), {});
  await run([putOf('alarms', 'a'), putOf('alarms', 'a', { name: 'a', severity: 7 })]);
  await run([deleteOf('alarms', 'a'), putOf('alarms', 'a', { name: 'a', severity: 8 })]);
  assert.deepEqual(await client.read('/alarms'), { a: { name: 'a', severity: 8 } });
  await client.refused('operation-failed', 'POST', '/cfgdb/txn', {
    body: { operations: [deleteOf('alarms', 'b'), putOf('alarms', 'b')] },
  });
});

test('deleting what does not exist is 500 with the index, and none of the other operations stays', async () => {
  await run([putOf('alarms', 'kept'), putOf('alarms', 'other')]);
  const earlier = await everything();
  const operations = [
    putOf('alarms', 'kept', { name: 'kept', severity: 9 }),
    deleteOf('alarms', 'other'),
    putOf('measurements', 'fresh'),
    deleteOf('measurements', 'constructor'),
    putOf('measurements', 'late'),
  ];
  for (const query of ['', '?commit=0', '?render=1', '?commit=0&render=1']) {
    const problem = await client.refused('operation-failed', 'POST', `/cfgdb/txn${query}`, { body: { operations } });
    assert.equal(problem.status, 500);
    assert.deepEqual(
      problem.errors?.map(({ path }) => path),
      ['/operations/3'],
    );
    assert.deepEqual(await everything(), earlier, query);
  }
});

test('with commit=0 everything is checked and carried out, then rolled back', async () => {
  await run([putOf('alarms', 'a')], '?render=1');
  const [earlier, rendered] = [await everything(), await revisions()];
  const operations = [putOf('alarms', 'b'), deleteOf('alarms', 'a'), putOf('alarms', 'c')];
  for (const query of ['?commit=0', '?commit=false', '?commit=0&render=1', '?render=0&commit=0']) {
    await run(operations, query);
    assert.deepEqual(await everything(), earlier, query);
    assert.deepEqual(await client.read('/alarms/names'), ['a'], query);
    assert.deepEqual(await revisions(), rendered, query);
    assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true }, query);
    assert.deepEqual(await client.read('/cfgdb/diff'), { changes: [] }, query);
  }
  await run(operations, '?commit=1');
  assert.deepEqual(await client.read('/alarms/names'), ['b', 'c']);
});

test('with commit=0 and render=1 a configuration that cannot be rendered is reported so', async () => {
  const dangling = putOf('measurements', 'm', { name: 'm', datatype: 'd', connectorName: 'nowhere' });
  const body = { operations: [dangling] };
  const paths = await client.faulty('render-refused', 'POST', '/cfgdb/txn?commit=0&render=1', { body });
  assert.deepEqual(paths, ['/measurements/m/connectorName']);
  await run([dangling], '?commit=0');
});

test('render=1 renders what was committed', async () => {
  const [{ id = 0 } = {}] = await revisions();
  await run([putOf('alarms', 'a'), putOf('alarms', 'b')], '?render=1');
  assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: true });
  const [newest] = await revisions();
  assert.deepEqual([newest?.id, newest?.running, newest?.objects?.alarms], [id + 1, true, 2]);
});

test('where rendering fails the commit is rolled back, and what runs is untouched', async () => {
  await run([putOf('alarms', 'runs')], '?render=1');
  await run([putOf('alarms', 'edited')]);
  const [earlier, rendered] = [await everything(), await revisions()];
  const operations = [
    deleteOf('alarms', 'edited'),
    putOf('alarms', 'runs', { name: 'runs', severity: 1, trgMeasurement: 'm', trgOperator: 'gt', trgRefValue: '1' }),
    putOf('commands', 'c', { name: 'c', datatype: 'd', leader: 'nobody' }),
  ];
  const { status, errors } = await client.refused('render-refused', 'POST', '/cfgdb/txn?render=1', {
    body: { operations },
  });
  assert.equal(status, 500);
  assert.deepEqual(errors?.map(({ family, name, field }) => `${family} ${name} ${field}`).sort(), [
    'alarms runs trgMeasurement',
    'commands c leader',
  ]);
  assert.deepEqual(await everything(), earlier);
  assert.deepEqual(await revisions(), rendered);
  assert.deepEqual(await client.read('/cfgdb/render'), { up_to_date: false });
});

test('a body off the schema is 400 with the operation and the field, all of it at once', async () => {
  const operations = [
    putOf('alarms', 'good'),
    putOf('alarms', 'a', { name: 'a', severity: 'high', colour: 'red' }),
    putOf('alarms', 'b', { name: 'c', severity: 1 }),
    { operation: 'put', family: 'alarms', name: 'd' },
    { operation: 'move', family: 'alarms', name: 'e' },
    { operation: 'delete', family: 'gates', name: 'f' },
    { operation: 'delete', family: 'constructor', name: 'f' },
    deleteOf('alarms', 'not-a-name'),
    { operation: 'delete', family: 'alarms' },
    { ...deleteOf('alarms', 'g'), force: true },
    { ...deleteOf('alarms', 'h'), object: smallest('alarms', 'h') },
    putOf('alarms', 'names'),
    putOf('connectors', 'i', smallest('alarms', 'i')),
    null,
    'text',
    [],
    putOf('alarms', 'j', null),
    putOf('alarms', 'k', { name: 'k', severity: 1, description: 'a\u0000' }),
  ];
  assert.deepEqual(await faults(operations.slice(0, -1)), [
    '/operations/1/object/colour',
    '/operations/1/object/severity',
    '/operations/2/object/name',
    '/operations/3/object',
    '/operations/4/operation',
    '/operations/5/family',
    '/operations/6/family',
    '/operations/7/name',
    '/operations/8/name',
    '/operations/9/force',
    '/operations/10/object',
    '/operations/11/name',
    '/operations/12/object/severity',
    '/operations/13',
    '/operations/14',
    '/operations/15',
    '/operations/16/object',
  ]);
  assert.deepEqual(await faults([putOf('alarms', 'good'), operations.at(-1)]), ['/operations/1/object/description']);
  for (const query of ['?commit=0', '?render=1']) assert.equal((await faults(operations, query)).length > 0, true);
  assert.deepEqual(await client.read('/alarms/names'), []);
});

test('a body that is no transaction is 400', async () => {
  for (const body of [{}, [], 'text', 5, { operations: {} }, { operations: null }, { operation: [] }]) {
    assert.deepEqual(await client.faulty('invalid-body', 'POST', '/cfgdb/txn', { body }), ['/operations']);
  }
  const unknown = { operations: [], commit: 0, 'a/b': 1 };
  assert.deepEqual(await client.faulty('invalid-body', 'POST', '/cfgdb/txn', { body: unknown }), ['/commit', '/a~1b']);
  await client.refused('invalid-body', 'POST', '/cfgdb/txn', { raw: 'null' });
  await client.refused('malformed-json', 'POST', '/cfgdb/txn', { raw: '{"operations":[' });
  const deep = `{"operations":${'['.repeat(8)}${']'.repeat(8)}}`;
  await client.refused('json-too-deep', 'POST', '/cfgdb/txn', { raw: deep });
  await client.refused('unsupported-media-type', 'POST', '/cfgdb/txn', {
    raw: '{"operations":[]}',
    type: 'text/plain',
  });
  await run([]);
});

test('commit and render are 0 or 1, and there is no other parameter', async () => {
  const body = { operations: [putOf('alarms', 'a')] };
  for (const word of ['2', '', 'yes', '01', '-1', 'null']) {
    assert.deepEqual(await client.faulty('invalid-query', 'POST', `/cfgdb/txn?commit=${word}`, { body }), ['commit']);
    assert.deepEqual(await client.faulty('invalid-query', 'POST', `/cfgdb/txn?render=${word}`, { body }), ['render']);
  }
  assert.deepEqual(await client.faulty('invalid-query', 'POST', '/cfgdb/txn?comit=0', { body }), ['comit']);
  assert.deepEqual(await client.faulty('invalid-query', 'POST', '/cfgdb/txn?commit=0&commit=1', { body }), ['commit']);
  assert.deepEqual(await client.read('/alarms/names'), []);
});

test('however much is wrong, 20 errors are reported in a few KiB', async () => {
  const bad = (at: number) => ({ ...putOf('alarms', `a${at}`), object: { [`k${'x'.repeat(10_000)}`]: at } });
  for (const operations of [Array.from({ length: 5000 }, () => 1), Array.from({ length: 50 }, (_, at) => bad(at))]) {
    const { errors } = await client.refused('invalid-body', 'POST', '/cfgdb/txn', { body: { operations } });
    assert.equal(errors?.length, 20);
    assert.ok(JSON.stringify(errors).length < 8 << 10);
  }
});

test('an object of very many keys is refused as that, and reported in a few words', async () => {
  const keys = (count: number) => Array.from({ length: count }, (_, at) => `"key${at}":""`).join();
  const object = `{"name":"a","severity":1,${keys(600_000)}}`;
  const { errors } = await client.refused('json-too-large', 'POST', '/cfgdb/txn', {
    raw: `{"operations":[{"operation":"put","family":"alarms","name":"a","object":${object}}]}`,
  });
  assert.deepEqual(errors, [{ path: '/operations/0/object', message: 'has more than 10000 keys' }]);
  await client.refused('json-too-large', 'PUT', '/alarms/a', { raw: object });
  const many = `{"name":"a","severity":1,"properties":{${keys(10_000)}}}`;
  await client.done('PUT', '/alarms/a', { raw: many });
  assert.deepEqual(await client.read('/alarms/a'), JSON.parse(many));
});

test('a key that is there twice is refused, wherever it is', async () => {
  const cases = {
    '/operations': '{"operations":[],"operations":[]}',
    '/operations/0/name': '{"operations":[{"operation":"delete","family":"alarms","name":"a","name":"b"}]}',
    '/operations/0/object/properties/__proto__':
      '{"operations":[{"operation":"put","family":"alarms","name":"a","object":{"name":"a","severity":1,"properties":{"__proto__":"1","__proto__":"2"}}}]}',
  };
  for (const [path, raw] of Object.entries(cases)) {
    const { errors } = await client.refused('duplicate-key', 'POST', '/cfgdb/txn', { raw });
    assert.deepEqual(errors, [{ path, message: 'is there twice' }]);
  }
  await client.refused('duplicate-key', 'PUT', '/alarms/a', { raw: '{"name":"a","severity":1,"severity":2}' });
});

test('while a long transaction runs, metrics are answered', async () => {
  let isRunning = true;
  const operations = Array.from({ length: 20_000 }, (_, at) => putOf('alarms', `long${at}`));
  const running = run(operations, '?commit=0').finally(() => {
    isRunning = false;
  });
  let seen = false;
  while (isRunning && !seen) {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    seen = isRunning && text.includes('\ntelltale_configuration_waiting 1\n');
  }
  await running;
  assert.ok(seen, 'no metrics before the end of the transaction');
});

test('an object over 1 MiB refuses the whole transaction by 413', async () => {
  const large = { name: 'large', severity: 1, description: 'x'.repeat(1 << 20) };
  const body = { operations: [putOf('alarms', 'a'), putOf('alarms', 'large', large)] };
  await client.refused('object-too-large', 'POST', '/cfgdb/txn', { body });
  assert.deepEqual(await client.read('/alarms/names'), []);
});

test('100,000 operations are carried out, and one more is 400', async () => {
  const half = Array.from({ length: 50_000 }, (_, at) => putOf('connectors', `c${at}`));
  const operations = [...half, ...half.slice(1).map(({ name }) => deleteOf('connectors', name))];
  await run([...operations, putOf('connectors', 'last')]);
  assert.deepEqual(await client.read('/connectors/names'), ['c0', 'last']);
  const tooMany = [...operations, ...half.slice(0, 2)];
  await client.refused('too-many-operations', 'POST', '/cfgdb/txn', { body: { operations: tooMany } });
  assert.deepEqual(await client.read('/connectors/names'), ['c0', 'last']);
});

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
