// Promises of the HTTP interface of function modules, over real sockets.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { checker, LiveFunctionModule, LogLine, type ProblemName, problemPage, type Timestamp } from '@telltale/schema';
import Type from 'typebox';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';

const modules = new ScriptedModules();
const bench = new ModuleInterface(modules);
before(() => bench.open());
after(() => bench.close());
beforeEach(() => {
  modules.asked.length = 0;
});

const base = '/data/function-modules';

async function read<Body>(path: string): Promise<Body> {
  const { status, text } = await bench.ask('GET', base + path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Body;
}

async function refused(problem: ProblemName, method: string, path: string, init?: RequestInit): Promise<string> {
  const { text } = await bench.ask(method, base + path, init);
  assert.equal(JSON.parse(text).type, problemPage(problem), text);
  return text;
}

describe('function modules', () => {
  test('are listed by name, sorted', async () => {
    assert.deepEqual(await read('/names'), ['__proto__', 'a', 'broken', 'loop']);
  });

  test('are reported as objects, all or those that are named, whatever they are called', async () => {
    const all = await read<object>('/');
    assert.deepEqual(Object.keys(all), ['__proto__', 'a', 'broken', 'loop']);
    const one = checker(LiveFunctionModule);
    for (const module of Object.values(all)) assert.deepEqual(one.faults(module), []);
    assert.deepEqual(Object.keys(await read<object>('/?names=loop,other,loop,__proto__')), ['__proto__', 'loop']);
    assert.deepEqual(await read('/loop'), Object.entries(all).find(([name]) => name === 'loop')?.[1]);
    assert.equal((await read<{ name: string }>('/__proto__')).name, '__proto__');
  });

  test('are reported by the fields that are asked for, each whole', async () => {
    const lastError = { text: 'it ended', t: [1_700_000_000, 0] };
    assert.deepEqual(await read('/?names=loop&fields=last-error,state'), {
      loop: { state: 'STOP', 'last-error': lastError },
    });
    await refused('invalid-query', 'GET', '/?fields=other');
  });

  test('that there are not are unknown', async () => {
    for (const path of ['/other', '/other/log', '/constructor', '/no%20name', '/%00']) {
      await refused('unknown-object', 'GET', path);
    }
  });
});

describe('the log of a function module', () => {
  const at: Timestamp = [1_700_000_000, 250_000];
  const lines: LogLine[] = [
    { t: at, stream: 'out', text: 'level 1.5' },
    { t: at, stream: 'err', text: 'no "pump" \u{1F6B0}' },
  ];

  test('is the newest 100 lines of both streams, unless reported', async () => {
    modules.log = lines;
    const found = await read('/loop/log');
    assert.deepEqual(checker(Type.Array(LogLine)).faults(found), []);
    assert.deepEqual(found, lines);
    await read('/loop/log?lines=7&stream=err');
    await read('/loop/log?lines=10000&stream=out');
    assert.deepEqual(modules.asked, ['log loop 100 undefined', 'log loop 7 err', 'log loop 10000 out']);
    assert.deepEqual(await read('/loop/log?lines=0'), []);
  });

  test('is text to whoever wants it so', async () => {
    modules.log = lines;
    const headers = { accept: 'text/plain' };
    const { status, text, headers: reported } = await bench.ask('GET', `${base}/loop/log`, { headers });
    assert.deepEqual([status, reported.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const time = '2023-11-14T22:13:20.250000Z';
    assert.equal(text, `${time} out level 1.5\n${time} err no "pump" \u{1F6B0}\n`);
    await refused('not-acceptable', 'GET', '/loop/log', { headers: { accept: 'image/png' } });
  });

  test('is not asked for what it cannot give', async () => {
    for (const query of ['lines=-1', 'lines=10001', 'lines=1.5', 'lines=x', 'stream=both', 'stream=', 'tail=1']) {
      await refused('invalid-query', 'GET', `/loop/log?${query}`);
    }
    assert.deepEqual(modules.asked, []);
  });
});

describe('starting and stopping a function module', () => {
  for (const operation of ['start', 'stop', 'restart']) {
    test(`${operation} is answered when it has happened`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      modules.gate = promise;
      let answered = false;
      const asking = bench.ask('POST', `${base}/loop/${operation}`).finally(() => {
        answered = true;
      });
      await bench.ask('GET', `${base}/names`); // behind it
      assert.equal(answered, false);
      resolve();
      assert.deepEqual([(await asking).status, (await asking).text], [204, '']);
      assert.deepEqual(modules.asked, [`${operation} loop`]);
    });

    test(`${operation} says why it did not happen`, async () => {
      modules.gate = Promise.resolve();
      assert.match(await refused('module-failed', 'POST', `/broken/${operation}`), /has no executable/);
      await refused('unknown-object', 'POST', `/other/${operation}`);
      await refused('invalid-name', 'POST', `/no%20name/${operation}`);
      await refused('method-not-allowed', 'GET', `/loop/${operation}`);
    });
  }
});
