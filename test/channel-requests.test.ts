// Every request of the channel and its answer: the same operations, rules and problems as over HTTP, item by item.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type ChannelRequestName,
  channelRequestNames,
  type LiveAlarm,
  type LiveCommand,
  type LiveConnector,
  type LiveMeasurement,
  maxBatchItems,
  type Overview,
  problemPage,
} from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { oddNames, put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

let channel: CheckedChannel;
const live = new LiveServer({
  begin: async () => {
    channel = await CheckedChannel.open(live.process.url);
  },
  end: () => channel.close(),
});
const { data } = live;

/** Requests that a test below has carried out. */
const tried = new Set<ChannelRequestName>();
const done: CheckedChannel['done'] = (request, fields) => {
  tried.add(request);
  return channel.done(request, fields);
};

/** The results in short: the name, and the kind of problem where there is one. */
const short = ({ results = [] }: { results?: { name: string; error?: { type: string } }[] }) =>
  results.map(({ name, error }) => (error === undefined ? name : `${name}: ${error.type.replace(/.*#problem-/, '')}`));

test('Heartbeat is answered', async () => {
  assert.deepEqual(Object.keys(await done('Heartbeat', {})), ['request_id', 'result']);
});

describe('reads', () => {
  const families = { measurements: 'ReadMeasurements', commands: 'ReadCommands', alarms: 'ReadAlarms' } as const;

  for (const [family, request] of Object.entries(families)) {
    test(`${request} gives the map that GET gives, with names and fields`, async () => {
      const withoutTimes = (found: unknown) =>
        JSON.parse(JSON.stringify(found, (key, value) => (key === 'vtq' ? undefined : value)));
      const [fields, names] = [
        ['name' as const, 'description' as const],
        ['level', 'local', 'manual', 'nobody', '', 'a-b'],
      ];
      assert.deepEqual(withoutTimes((await done(request, {}))[family]), withoutTimes(await data.read(`/${family}/`)));
      for (const [selection, query] of [
        [{ names }, '?names=level,local,manual'],
        [{ fields }, '?fields=name,description'],
        [{ names, fields }, '?names=level,local,manual&fields=description,name'],
        [{ names: [] }, '?names='],
        [{ names: oddNames, fields }, `?names=${oddNames}&fields=name,description`],
      ] as const) {
        const answer = await done(request, selection as { names: string[] });
        assert.deepEqual(withoutTimes(answer[family]), withoutTimes(await data.read(`/${family}/${query}`)));
      }
      for (const fields of [['nothing'], ['__proto__'], 'name', [1]]) {
        await channel.refused('invalid-body', request, { fields });
      }
    });
  }

  test('ReadAreas gives the tree that GET gives', async () => {
    assert.deepEqual((await done('ReadAreas', {})).areas, await data.read('/areas'));
  });

  test('ReadDatabase gives arrays of the kinds that are asked for', async () => {
    const read = async (select: object) =>
      (await done('ReadDatabase', { select })).database as Record<string, unknown[]>;
    const all = await read({ measurements: 'all', commands: 'all', alarms: 'all' });
    for (const family of Object.keys(families)) {
      const names = (all[family] as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(names.sort(), Object.keys(await data.read<object>(`/${family}/`)).sort());
    }
    const some = await read({ commands: ['local', 'nobody', 'local', '__proto__'], alarms: [] });
    assert.deepEqual(Object.keys(some), ['commands', 'alarms']);
    assert.deepEqual(
      (some.commands as LiveCommand[]).map(({ name }) => name),
      ['local', '__proto__'],
    );
    assert.deepEqual(await read({}), {});
    await channel.refused('invalid-body', 'ReadDatabase', {});
    await channel.refused('invalid-body', 'ReadDatabase', { select: { measurements: 'none' } });
    await channel.refused('invalid-body', 'ReadDatabase', { select: { stacks: 'all' } });
  });
});

describe('writes', () => {
  const shown = async (name: string) => (await data.read<LiveCommand>(`/commands/${name}`)).vt[0];

  test('WriteCommands writes each, and reports each', async () => {
    const good = await done('WriteCommands', {
      writes: [
        { name: 'local', value: 'd1' },
        { name: 'set_scaled', value: 'd50' },
      ],
    });
    assert.deepEqual(short(good), ['local', 'set_scaled']);
    assert.deepEqual([await shown('local'), await shown('set_scaled')], ['d1', 'd50']);
    const mixed = await channel.refused('out-of-range', 'WriteCommands', {
      writes: [
        { name: 'local', value: 'd2' },
        { name: 'set_scaled', value: 'd101' },
        { name: 'nobody', value: 'd1' },
        { name: 'a b', value: 'd1' },
        { name: 'hidden', value: 'd1' },
        { name: 'own_i', value: 'd1' },
        { name: '__proto__', value: 'i4' },
        { name: 'names', value: 'i4' },
      ],
    });
    assert.deepEqual(short(mixed), [
      'local',
      'set_scaled: out-of-range',
      'nobody: unknown-object',
      'a b: unknown-object',
      'hidden: unknown-object',
      'own_i: invalid-value',
      '__proto__',
      'names: unknown-object',
    ]);
    assert.deepEqual(mixed.error, mixed.results?.[1]?.error);
    assert.deepEqual([await shown('local'), await shown('__proto__')], ['d2', 'i4']);
  });

  test('WriteCommands reports refused, late and impossible writes as HTTP does, and the others are carried out', async () => {
    const writes = (name: string, value: string) => ({ writes: [{ name, value }] });
    await done('WriteCommands', writes('refuse', 'b1'));
    const refused = await channel.refused('write-refused', 'WriteCommands', {
      writes: [...writes('set_scaled', 'd1').writes, ...writes('local', 'd77').writes],
    });
    assert.match(refused.error?.detail ?? '', /interlock open/);
    assert.equal(await shown('local'), 'd77');
    await done('WriteCommands', writes('refuse', 'b0'));
    await done('WriteCommands', writes('slow', 'b1'));
    await channel.refused('write-timeout', 'WriteCommands', writes('set_scaled', 'd2'));
    await done('WriteCommands', writes('slow', 'b0'));
    await done('WriteCommands', writes('drop', 'd1000'));
    const { error } = await channel.ask('WriteCommands', writes('set_weak', 'd3'));
    assert.ok(error === undefined || error.type === problemPage('connector-down'));
  });

  test('writes of one message to the same command come in their order', async () => {
    const values = Array.from({ length: 500 }, (_, at) => `d${at}`);
    await done('WriteCommands', { writes: values.map((value) => ({ name: 'local', value })) });
    assert.equal(await shown('local'), 'd499');
  });

  test('an empty batch is carried out, and one that is too long is refused as a whole', async () => {
    for (const [request, field, item] of [
      ['WriteCommands', 'writes', { name: 'local', value: 'd9' }],
      ['SimulateMeasurements', 'simulations', { name: 'level', value: 'd9' }],
      ['StopSimulation', 'measurements', 'level'],
      ['OperateAlarms', 'operations', { name: 'manual', opcode: 'activate' }],
      ['AckAlarms', 'alarms', 'manual'],
    ] as const) {
      assert.deepEqual((await channel.done(request, { [field]: [] } as never)).results, []);
      const many = Array.from({ length: maxBatchItems + 1 }, () => item);
      await channel.refused('invalid-body', request, { [field]: many });
      await channel.refused('invalid-body', request, {});
    }
    assert.notEqual(await shown('local'), 'd9');
  });
});

describe('simulation', () => {
  const vtqOf = async (name: string) => (await data.read<LiveMeasurement>(`/measurements/${name}`)).vtq;

  test('SimulateMeasurements, ReadSimulations and StopSimulation do what HTTP does, item by item', async () => {
    const mixed = await channel.refused('invalid-value', 'SimulateMeasurements', {
      simulations: [
        { name: 'level', value: 'd5', quality: 64, 'valid-for': 1000 },
        { name: '__proto__', value: 'i6' },
        { name: 'zero_i', value: 'd6' },
        { name: 'nobody', value: 'd6' },
      ],
    });
    assert.deepEqual(short(mixed), ['level', '__proto__', 'zero_i: invalid-value', 'nobody: unknown-object']);
    assert.deepEqual([(await vtqOf('level'))[0], (await vtqOf('level'))[2]], ['d5', 0x8040]);
    tried.add('SimulateMeasurements');
    assert.deepEqual((await done('ReadSimulations', {})).simulations, await data.read('/simulations'));
    assert.deepEqual(Object.keys(await data.read<object>('/simulations')).sort(), ['__proto__', 'level']);
    for (const wrong of [
      { quality: -1 },
      { quality: 1.5 },
      { 'valid-for': 0 },
      { 'valid-for': '1' },
      { validFor: 1 },
    ]) {
      await channel.refused('invalid-body', 'SimulateMeasurements', {
        simulations: [{ name: 'level', value: 'd1', ...wrong }],
      });
    }
    await done('StopSimulation', { measurements: ['level', '__proto__', 'level'] });
    const unknown = await channel.refused('unknown-object', 'StopSimulation', { measurements: ['level', 'nobody'] });
    assert.deepEqual(short(unknown), ['level', 'nobody: unknown-object']);
    assert.deepEqual((await done('ReadSimulations', {})).simulations, {});
  });
});

describe('alarms', () => {
  const alarm = (name: string) => data.read<LiveAlarm>(`/alarms/${name}`);

  test('OperateAlarms and AckAlarms go through the states, and name who did it', async () => {
    const operations = [
      { name: 'manual', opcode: 'activate' as const },
      { name: '__proto__', opcode: 'activate' as const },
    ];
    assert.deepEqual(short(await done('OperateAlarms', { operations, authority: 'me' })), ['manual', '__proto__']);
    const { state, authority } = await alarm('manual');
    assert.deepEqual([state, authority], ['ACT_UNACK', 'me']);
    await done('AckAlarms', { alarms: ['manual'] });
    assert.deepEqual([(await alarm('manual')).state, (await alarm('manual')).authority], ['ACT_ACK', 'operator']);
    await done('OperateAlarms', { operations: [{ name: 'manual', opcode: 'deactivate' }] });
    assert.equal((await alarm('manual')).state, 'INACT_ACK');
    const mixed = await channel.refused('unknown-object', 'AckAlarms', { alarms: ['nobody', '__proto__'] });
    assert.deepEqual(short(mixed), ['nobody: unknown-object', '__proto__']);
    assert.equal((await alarm('__proto__')).state, 'ACT_ACK');
    await channel.refused('invalid-body', 'OperateAlarms', { operations: [{ name: 'manual', opcode: 'reset' }] });
    await channel.refused('invalid-body', 'AckAlarms', { alarms: ['manual'], authority: '' });
  });
});

describe('watches', () => {
  for (const [request, field] of [
    ['WatchMeasurements', 'measurements'],
    ['WatchCommands', 'commands'],
    ['WatchAlarms', 'alarms'],
    ['WatchFunctionModules', 'function_modules'],
  ] as const) {
    test(`${request} and its end take a list of names or "all"`, async () => {
      const end = `Un${request.charAt(0).toLowerCase()}${request.slice(1)}` as typeof request;
      for (const names of ['all', []]) await done(request, { [field]: names } as never);
      const mixed = await channel.refused('unknown-object', request, { [field]: ['nobody', 'a b'] });
      assert.deepEqual(short(mixed), ['nobody: unknown-object', 'a b: unknown-object']);
      for (const names of ['all', ['nobody'], []]) await done(end, { [field]: names } as never);
      for (const wrong of ['some', [1], null, { all: true }]) {
        await channel.refused('invalid-body', request, { [field]: wrong });
        await channel.refused('invalid-body', end, { [field]: wrong });
      }
    });
  }
});

describe('the archive', () => {
  const interval = { archive: 'measurements', name: 'level', t_since: 1_600_000_000, t_until: 1_600_000_001 } as const;

  test('ReadArchive gives the records of an interval, EraseArchive takes them away', async () => {
    const record = ['d1.5', [1_600_000_000, 250_000], 192];
    await data.done('POST', '/archive/measurements/level', { body: [record] });
    assert.deepEqual((await done('ReadArchive', interval)).records, [record]);
    assert.deepEqual((await done('ReadArchive', { ...interval, t_until: 1_600_000_000.25 })).records, []);
    await done('EraseArchive', interval);
    assert.deepEqual((await done('ReadArchive', interval)).records, []);
  });

  test('refuses what HTTP refuses', async () => {
    for (const request of ['ReadArchive', 'EraseArchive'] as const) {
      await channel.refused('unknown-object', request, { ...interval, name: 'nobody' });
      await channel.refused('unknown-object', request, { ...interval, name: 'a b' });
      await channel.refused('invalid-interval', request, { ...interval, t_since: 1_600_000_002 });
      await channel.refused('invalid-body', request, { ...interval, archive: 'stacks' });
    }
    await channel.refused('invalid-query', 'ReadArchive', { ...interval, aggregate: 'avg' });
  });
});

describe('diagnostics', () => {
  const states = (found: unknown) =>
    Object.entries(found as Record<string, { name: string; stack: string }>).map(([name, { stack }]) => [name, stack]);

  test('ReadConnectors and ReadProviders give the map that GET gives, with names and fields', async () => {
    assert.deepEqual(states((await done('ReadConnectors', {})).connectors), states(await data.read('/connectors/')));
    const some = await done('ReadConnectors', { names: ['device', 'nobody', '', 'a-b'], fields: ['stack', 'name'] });
    assert.deepEqual(some.connectors, { device: { name: 'device', stack: 'simulator' } });
    assert.deepEqual((await done('ReadProviders', {})).providers, {});
    await channel.refused('invalid-body', 'ReadConnectors', { fields: ['clients'] });
    await channel.refused('invalid-body', 'ReadProviders', { fields: ['scan-groups'] });
  });

  test('ExplainMeasurement says what GET says', async () => {
    const { explanation } = await done('ExplainMeasurement', { name: 'zero_d' });
    assert.deepEqual(explanation, await data.read('/measurements/zero_d/explain'));
    for (const name of ['nobody', 'a b', '']) await channel.refused('unknown-object', 'ExplainMeasurement', { name });
  });

  test('ExplainCommand says what GET says', async () => {
    const { explanation } = await done('ExplainCommand', { name: 'initial' });
    assert.deepEqual(explanation, await data.read('/commands/initial/explain'));
    for (const name of ['nobody', 'a b', '']) await channel.refused('unknown-object', 'ExplainCommand', { name });
  });

  test('BrowseConnector gives what POST gives', async () => {
    await live.apply([put('connectors', 'works', { stackName: 'waterworks' })]);
    await until('the link is up', async () => (await data.read<LiveConnector>('/connectors/works')).state === 'up');
    const { items, cursor } = await done('BrowseConnector', { name: 'works', path: 'tank1', limit: 3 });
    const { text } = await data.ask('POST', '/connectors/works/browse', { body: { path: 'tank1', limit: 3 } });
    assert.deepEqual({ items, cursor }, JSON.parse(text));
    assert.equal(cursor, '3');
    await channel.refused('device-refused', 'BrowseConnector', { name: 'works', path: 'nowhere' });
    await channel.refused('unknown-object', 'BrowseConnector', { name: 'nobody' });
    await channel.refused('invalid-body', 'BrowseConnector', { name: 'works', limit: 0 });
  });

  test('connectors and providers are restarted, one that does not exist is not', async () => {
    const connects = async () => (await data.read<LiveConnector>('/connectors/works')).counters.connects;
    const before = await connects();
    await done('OperateConnectors', { operations: [{ name: 'works', opcode: 'restart' }] });
    await until('it has connected again', async () => (await connects()) > before);
    const operations = [{ name: 'nobody', opcode: 'restart' as const }];
    for (const request of ['OperateConnectors', 'OperateProviders'] as const) {
      await done(request, { operations: [] });
      const answer = await channel.refused('unknown-object', request, { operations });
      assert.deepEqual(short(answer), ['nobody: unknown-object']);
    }
  });

  test('certificates are listed as GET lists them, and operated on by thumbprint', async () => {
    const { certificates } = await done('ReadCertificates', {});
    assert.deepEqual(certificates, await data.read('/certificates'));
    await channel.refused('invalid-body', 'ReadCertificates', { state: 'unknown' } as never);
    const operations = (['trust', 'reject', 'renew', 'delete'] as const).map((opcode) => ({ name: 'ab', opcode }));
    await done('OperateCertificates', { operations: [] });
    const answer = await channel.refused('unknown-object', 'OperateCertificates', { operations });
    assert.deepEqual(short(answer), Array(4).fill('ab: unknown-object'));
  });

  test('connectors and providers are watched, and no longer', async () => {
    for (const [request, field] of [
      ['WatchConnectors', 'connectors'],
      ['UnwatchConnectors', 'connectors'],
      ['WatchProviders', 'providers'],
      ['UnwatchProviders', 'providers'],
    ] as const) {
      await done(request, { [field]: 'all' } as never);
    }
  });
});

test('function modules are read, operated and watched', async () => {
  assert.deepEqual((await done('ReadFunctionModules', {})).function_modules, await data.read('/function-modules/'));
  for (const request of ['WatchFunctionModuleLogs', 'UnwatchFunctionModuleLogs'] as const) {
    await done(request, { function_modules: 'all' });
  }
  await done('OperateFunctionModules', { operations: [] });
  const operations = [{ name: 'nobody', opcode: 'start' }];
  const answer = await channel.refused('unknown-object', 'OperateFunctionModules', { operations });
  assert.deepEqual(short(answer), ['nobody: unknown-object']);
});

test('ReadOverview gives what GET gives', async () => {
  const { overview } = await done('ReadOverview', {});
  const { service, commands } = await data.read<Overview>('/overview');
  assert.partialDeepStrictEqual(overview, { service, commands });
});

test('AnswerQuery is for function modules alone', async () => {
  tried.add('AnswerQuery');
  await channel.refused('not-a-module', 'AnswerQuery', { query_id: 1, status: 'fine' });
});

test('every request there is was tried here', () => {
  assert.deepEqual(
    channelRequestNames.filter((name) => !tried.has(name)),
    [],
  );
});
