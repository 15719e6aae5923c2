// Selectors over HTTP and the channel: patterns of names, area, connector, datatype, quality and words, alone and together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AreaCounts, AreaTree } from '@telltale/schema';
import { CheckedChannel } from './checked-channel.ts';
import { livePlant, put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

let channel: CheckedChannel;
const live = new LiveServer({
  begin: async () => {
    channel = await CheckedChannel.open(live.process.url);
    await live.apply([
      put('measurements', 'skid_1', {
        datatype: 'd',
        description: 'Flow of the FIRST skid',
        area: 'works.dosing.line1',
      }),
      put('measurements', 'skid_2', { datatype: 'b', description: 'Pump of the second skid runs', area: 'works' }),
      put('measurements', 'skidless', { datatype: 'd', area: 'works2' }),
      put('commands', 'skid_start', { datatype: 'b', description: 'Starts the first skid', area: 'works' }),
      put('alarms', 'skid_high', { severity: 2, description: 'First skid too high', area: 'works.dosing' }),
      put('alarms', 'skid_low', { severity: 2 }),
    ]);
    await until(
      'the device is read',
      async () => (await found('/measurements/?connector=device&quality=good')).length === 5,
    );
  },
  end: () => channel.close(),
});
const { data } = live;

const found = async (path: string) => Object.keys(await data.read<object>(path)).sort();
const named = (family: string) =>
  livePlant.filter((each) => each.family === family && each.name !== 'hidden').map(({ name }) => name);

describe('names with *', () => {
  test('select what matches, besides those that are named, each once', async () => {
    for (const [names, expected] of [
      ['skid_*', ['skid_1', 'skid_2']],
      ['*_2', ['skid_2']],
      ['*kid*', ['skid_1', 'skid_2', 'skidless']],
      ['s*d*1', ['skid_1']],
      ['skid_*,skid_1,level,nobody,*_1', ['level', 'skid_1', 'skid_2']],
      ['__*', ['__proto__']],
    ] as const) {
      assert.deepEqual(await found(`/measurements/?names=${names}`), expected, names);
    }
    assert.deepEqual(await found('/commands/?names=skid*'), ['skid_start']);
    assert.deepEqual(await found('/alarms/?names=*_high,manual'), ['manual', 'skid_high']);
    assert.deepEqual(
      await found('/measurements/?names=*'),
      [...named('measurements'), 'skid_1', 'skid_2', 'skidless'].sort(),
    );
  });

  test('that match nothing give an empty collection, neither an error nor everything', async () => {
    for (const family of ['measurements', 'commands', 'alarms']) {
      assert.deepEqual(await data.read(`/${family}/?names=nobody*`), {}, family);
      assert.deepEqual(await data.read(`/${family}/?search=nowhere`), {}, family);
    }
    assert.deepEqual(await data.read('/measurements/?connector=nobody'), {});
    assert.deepEqual(await data.read('/measurements/?connector='), {});
    assert.deepEqual(await data.read('/measurements/?quality='), {});
  });

  test('are letters, digits, _ and *, and a hundred at most', async () => {
    const wrong = await data.refused('invalid-query', 'GET', '/measurements/?names=skid_?,skid_[12]');
    assert.match(wrong.detail, /"skid_\?" is neither a name nor a pattern such as pump\*/);
    const patterns = Array.from({ length: 101 }, (_, at) => `a${at}*`);
    await data.refused('invalid-query', 'GET', `/measurements/?names=${patterns}`);
    assert.deepEqual(await data.read(`/measurements/?names=${patterns.slice(1)}`), {});
    assert.deepEqual(await data.read(`/measurements/?names=${'*'.repeat(128)}&search=FIRST&fields=name`), {
      skid_1: { name: 'skid_1' },
    });
    await data.refused('invalid-query', 'GET', `/measurements/?names=${'*'.repeat(129)}`);
  });
});

describe('other criteria', () => {
  test('select by connector and by datatype, any of several', async () => {
    assert.deepEqual(await found('/measurements/?connector=weak'), ['weak_value']);
    assert.deepEqual(await found('/measurements/?connector=weak,device&datatype=d,s'), [
      'scaled',
      'text',
      'weak_value',
    ]);
    assert.deepEqual(await found('/commands/?connector=weak'), ['drop', 'set_weak']);
    const wrong = await data.refused('invalid-query', 'GET', '/measurements/?datatype=x');
    assert.match(wrong.detail, /"x" is not a datatype; known are b, q, i/);
  });

  test('search words in names and descriptions, in whatever case, all of them', async () => {
    assert.deepEqual(await found('/measurements/?search=first'), ['skid_1']);
    assert.deepEqual(await found('/measurements/?search=SKID%20of'), ['skid_1', 'skid_2']);
    assert.deepEqual(await found('/measurements/?search=F%C3%9CLL'), ['level']);
    assert.deepEqual(await found('/measurements/?search=%221'), ['level']);
    assert.deepEqual(await found('/commands/?search=skid'), ['skid_start']);
    assert.deepEqual(await found('/alarms/?search=first'), ['skid_high']);
    for (const search of [
      '',
      '%20',
      'x'.repeat(201),
      'a%20b%20c%20d%20e%20f%20g%20h%20i%20j%20k%20l%20m%20n%20o%20p%20q',
    ]) {
      await data.refused('invalid-query', 'GET', `/measurements/?search=${search}`);
    }
  });

  test('hold all together', async () => {
    assert.deepEqual(await found('/measurements/?names=skid*&datatype=d'), ['skid_1', 'skidless']);
    assert.deepEqual(await found('/measurements/?names=skid*&datatype=d&search=flow'), ['skid_1']);
    assert.deepEqual(await found('/measurements/?names=skid_1&datatype=b'), []);
    assert.deepEqual(await data.read('/measurements/?names=skid_*&datatype=b&fields=datatype'), {
      skid_2: { datatype: 'b' },
    });
  });

  test('that a family does not have are refused by name', async () => {
    for (const path of ['/commands/?quality=bad', '/alarms/?datatype=b', '/connectors/?search=x']) {
      const { detail } = await data.refused('invalid-query', 'GET', path);
      assert.match(detail, /is unknown; known are names, fields/);
    }
    await data.refused('invalid-query', 'GET', '/connectors/?names=dev*');
  });
});

describe('area', () => {
  test('selects what is in it, and in the areas below it', async () => {
    assert.deepEqual(await found('/measurements/?area=works'), ['skid_1', 'skid_2']);
    assert.deepEqual(await found('/measurements/?area=works.dosing.line1'), ['skid_1']);
    assert.deepEqual(await found('/measurements/?area=works.dosing.line1,works2'), ['skid_1', 'skidless']);
    assert.deepEqual(await found('/measurements/?area=works&datatype=b'), ['skid_2']);
    assert.deepEqual(await found('/commands/?area=works'), ['skid_start']);
    assert.deepEqual(await found('/alarms/?area=works'), ['skid_high']);
    for (const area of ['work', 'dosing', 'works.dosing.line1.x', '']) {
      assert.deepEqual(await data.read(`/measurements/?area=${area}`), {}, area);
    }
    const { detail } = await data.refused('invalid-query', 'GET', '/measurements/?area=works/dosing');
    assert.match(detail, /"works\/dosing" is not an area, which is a path such as works\.dosing/);
  });

  test('is a tree, with what is in each and below it by quality and by alarm state', async () => {
    await data.done('PUT', '/measurements/skid_1?value=d1');
    await data.done('POST', '/alarms/skid_high/activate');
    const tree = await live.read<Record<string, AreaCounts>>('/areas', AreaTree);
    assert.deepEqual(Object.keys(tree), ['', 'works', 'works.dosing', 'works.dosing.line1', 'works2']);
    const { '': all, works, 'works.dosing': dosing, 'works.dosing.line1': line1 } = tree;
    assert.deepEqual(works, {
      area: 'works',
      areas: ['works.dosing'],
      measurements: { good: 1, uncertain: 0, bad: 1, simulated: 1 },
      commands: 1,
      alarms: { INACT_ACK: 0, ACT_UNACK: 1, ACT_ACK: 0, INACT_UNACK: 0 },
    });
    assert.deepEqual([dosing?.areas, dosing?.alarms.ACT_UNACK, dosing?.commands], [['works.dosing.line1'], 1, 0]);
    assert.deepEqual([line1?.areas, line1?.measurements.good, line1?.alarms.ACT_UNACK], [[], 1, 0]);
    assert.deepEqual(all?.areas, ['works', 'works2']);
    const { good = 0, uncertain = 0, bad = 0 } = all?.measurements ?? {};
    assert.equal(good + uncertain + bad, (await found('/measurements/')).length);
    assert.equal(all?.commands, (await found('/commands/')).length);
    assert.deepEqual((await channel.done('ReadAreas', {})).areas, await data.read('/areas'));
    await data.done('DELETE', '/measurements/skid_1');
    await data.done('POST', '/alarms/skid_high/deactivate');
    await data.done('POST', '/alarms/skid_high/acknowledge');
  });
});

describe('the archive', () => {
  const times = 't_since=0&t_until=2000000000';
  const many = (query: string, family = 'measurements') => found(`/archive/${family}?${times}&${query}`);

  test('is read of what is selected, and by patterns also of what is there no more', async () => {
    await live.apply([put('measurements', 'skid_9', { datatype: 'd', area: 'works', archMode: 'change' })]);
    await data.done('PUT', '/measurements/skid_9?value=d9');
    await until('it is archived', async () => (await many('names=skid_9')).length === 1);
    await until('with a record', async () => {
      const { skid_9 = [] } = await data.read<Record<string, unknown[]>>(`/archive/measurements?${times}&names=*_9`);
      return skid_9.length > 0;
    });
    assert.deepEqual(await many('area=works'), ['skid_1', 'skid_2', 'skid_9']);
    assert.deepEqual(await many('names=skid_*,level,nobody&datatype=d'), ['level', 'skid_1', 'skid_9']);
    assert.deepEqual(await many('area=works', 'alarms'), ['skid_high']);
    assert.deepEqual(await many('search=first', 'commands'), ['skid_start']);
    assert.deepEqual(await many('names=nobody*'), []);
    assert.deepEqual(await many('connector=nobody'), []);
    await live.apply([{ operation: 'delete', family: 'measurements', name: 'skid_9' }]);
    assert.deepEqual(await many('names=skid_*'), ['skid_1', 'skid_2', 'skid_9']);
    assert.deepEqual(await many('names=skid_*&area=works'), ['skid_1', 'skid_2']);
    await data.refused('invalid-query', 'GET', `/archive/measurements?${times}&quality=bad`);
    await data.refused('invalid-query', 'GET', `/archive/alarms?${times}&datatype=b`);
  });
});

describe('quality', () => {
  test('selects as values and simulations come and go', async () => {
    assert.deepEqual(await found('/measurements/?quality=good&names=skid*'), []);
    assert.deepEqual(await found('/measurements/?quality=simulated'), []);
    await data.done('PUT', '/measurements/skid_1?value=d1');
    await data.done('PUT', '/measurements/skidless?value=d1&quality=64');
    assert.deepEqual(await found('/measurements/?quality=good&names=skid*'), ['skid_1']);
    assert.deepEqual(await found('/measurements/?quality=uncertain'), ['skidless']);
    assert.deepEqual(await found('/measurements/?quality=simulated'), ['skid_1', 'skidless']);
    assert.deepEqual(await found('/measurements/?quality=bad,uncertain&names=skid*'), ['skid_2', 'skidless']);
    await data.done('DELETE', '/measurements/skid_1');
    await data.done('DELETE', '/measurements/skidless');
    assert.deepEqual(await found('/measurements/?quality=simulated,uncertain'), []);
    assert.deepEqual(await found('/measurements/?quality=bad&names=skid*'), ['skid_1', 'skid_2', 'skidless']);
  });

  test('has every point of a device that is lost, and none when it is back', async () => {
    const bad = () => found('/measurements/?connector=weak&quality=bad');
    await until('it is good', async () => (await bad()).length === 0);
    await data.done('PUT', '/commands/drop?value=d60');
    await until('it is lost', async () => (await bad()).join() === 'weak_value');
  });

  test('of another word is refused', async () => {
    const { detail } = await data.refused('invalid-query', 'GET', '/measurements/?quality=worse');
    assert.match(detail, /"worse" is not a quality; known are good, uncertain, bad, simulated/);
  });
});

test('what a rendering adds, changes and removes is selected as it is now', async () => {
  assert.deepEqual(await found('/measurements/?search=rendered'), []);
  await live.apply([
    put('measurements', 'skid_1', { datatype: 'i', description: 'rendered' }),
    put('measurements', 'skid_3', { datatype: 'i', description: 'rendered too' }),
    { operation: 'delete', family: 'measurements', name: 'skid_2' },
    put('alarms', 'skid_high', { severity: 2, description: 'rendered' }),
  ]);
  assert.deepEqual(await found('/measurements/?search=rendered'), ['skid_1', 'skid_3']);
  assert.deepEqual(await found('/measurements/?names=skid_*'), ['skid_1', 'skid_3']);
  assert.deepEqual(await found('/measurements/?names=*_2,*_3'), ['skid_3']);
  assert.deepEqual(await found('/measurements/?datatype=i&names=skid*'), ['skid_1', 'skid_3']);
  assert.deepEqual(await found('/alarms/?search=rendered'), ['skid_high']);
  assert.deepEqual(await found('/alarms/?search=first'), []);
});

test('a selected collection has a tag of its own, and another one when it changes', async () => {
  const get = (tag?: string) =>
    fetch(`${live.url}/alarms/?names=skid*`, tag === undefined ? {} : { headers: { 'if-none-match': tag } });
  const tag = (await get()).headers.get('etag') as string;
  assert.notEqual(tag, (await fetch(`${live.url}/alarms/`)).headers.get('etag'));
  assert.equal((await get(tag)).status, 304);
  await data.done('POST', '/alarms/skid_low/activate');
  assert.equal((await get(tag)).status, 200);
});

test('reads of the channel select as those of HTTP do', async () => {
  const keys = (collection: unknown) => Object.keys(collection as object).sort();
  const { measurements } = await channel.done('ReadMeasurements', { names: ['skid_*'], datatype: ['i'] });
  assert.deepEqual(keys(measurements), ['skid_1', 'skid_3']);
  const { measurements: bad } = await channel.done('ReadMeasurements', { quality: ['bad'], search: 'rendered too' });
  assert.deepEqual(keys(bad), ['skid_3']);
  const { commands } = await channel.done('ReadCommands', { connector: ['weak'], fields: ['name'] });
  assert.deepEqual(commands as unknown, { drop: { name: 'drop' }, set_weak: { name: 'set_weak' } });
  const { alarms } = await channel.done('ReadAlarms', { names: ['no body*', 'skid*'] });
  assert.deepEqual(keys(alarms), ['skid_high', 'skid_low']);
  assert.deepEqual((await channel.done('ReadAlarms', { search: 'nowhere' })).alarms, {});
  await channel.refused('invalid-query', 'ReadAlarms', { names: Array(101).fill('*') });
  await channel.refused('invalid-body', 'ReadMeasurements', { quality: ['worse'] });
  await channel.refused('invalid-body', 'ReadMeasurements', { connector: 'device' });
});
