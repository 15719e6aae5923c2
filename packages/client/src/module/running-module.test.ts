import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { type Asked, ScriptedService, unknownObject } from '../../test/scripted-service.ts';
import { module } from '../module.ts';
import type { Plant } from './plant.ts';
import type { ModuleOptions } from './running-module.ts';

const level = (value: number, q = 192) => ({ name: 'level', vtq: [`d${value}`, [1_700_000_000, 5], q] });

class Loop {
  readonly clock = new ManualClock();
  readonly logged: string[] = [];
  readonly seen: string[] = [];
  readonly stopping = new AbortController();
  readonly ended: Promise<void>;
  readonly service: ScriptedService;
  cycles = 0;

  static async start(t: TestContext, options: Partial<ModuleOptions> = {}): Promise<Loop> {
    const service = await ScriptedService.start(t);
    service.measurements.set('level', level(1));
    service.commands.set('valve', { name: 'valve', vt: ['d50', [1, 0]] });
    service.commands.set('auto', { name: 'auto', vt: ['b1', [1, 0]] });
    const loop = new Loop(service, options);
    t.after(() => loop.stop().catch(() => undefined));
    return loop;
  }

  private constructor(service: ScriptedService, options: Partial<ModuleOptions>) {
    this.service = service;
    const { cycle = () => undefined } = options;
    const env = {
      TELLTALE_MODULE: 'loop',
      TELLTALE_BASE_URL: 'http://127.0.0.1:1/data/',
      TELLTALE_WS_URL: service.url,
      TELLTALE_TOKEN: 'secret',
    };
    this.ended = module(env, {
      measurements: ['level'],
      commands: ['valve', 'auto'],
      cycleMs: 100,
      clock: this.clock,
      signal: this.stopping.signal,
      log: (line) => this.logged.push(line),
      ...options,
      cycle: async (plant) => {
        this.seen.push(String(plant.measurement('level')));
        await cycle(plant);
        this.cycles++;
      },
    });
    this.ended.catch(() => undefined);
  }

  /** Moves the clock on until it is true; what happens on sockets takes no time by this clock. */
  async until(isTrue: () => boolean, stepMs = 0): Promise<void> {
    const deadline = performance.now() + 10_000;
    while (!isTrue()) {
      assert.ok(performance.now() < deadline, JSON.stringify([this.seen, this.logged]));
      this.clock.advance(stepMs);
      await setImmediate();
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }
}

const written = (service: ScriptedService) => service.of('WriteCommands').map(({ writes }) => writes);

describe('a function module', () => {
  test('connects with its token, and its first cycle sees the values', async (t) => {
    const points: unknown[] = [];
    const loop = await Loop.start(t, {
      cycle: (plant) => {
        const [tank, auto] = [plant.measurement('level'), plant.command('auto')];
        points.push([tank.number, tank.boolean, tank.timeUs, auto.boolean, auto.number, plant.isConnected]);
      },
    });
    await loop.until(() => loop.cycles === 1);
    assert.deepEqual(loop.service.authorizations, ['Bearer secret']);
    assert.deepEqual(points, [[1, undefined, 1_700_000_000_000_005, true, 1, true]]);
  });

  test('writes what a cycle sets, once, in the datatype of each command', async (t) => {
    const loop = await Loop.start(t, {
      cycle: (plant) => {
        plant.write('valve', 1);
        plant.write('valve', 62.5);
        plant.write('auto', false);
      },
    });
    await loop.until(() => loop.cycles === 2, 10);
    const writes = [
      { name: 'valve', value: 'd62.5' },
      { name: 'auto', value: 'b0' },
    ];
    assert.deepEqual(written(loop.service).slice(0, 2), [writes, writes]);
  });

  test('starts no cycle before the writes of the last are answered, and counts what it left out', async (t) => {
    const elapsed: number[] = [];
    const overruns: number[] = [];
    const loop = await Loop.start(t, {
      cycle: (plant) => {
        elapsed.push(plant.elapsedS);
        overruns.push(plant.overruns);
        plant.write('valve', 1);
      },
    });
    let held: Asked | undefined;
    loop.service.answer = (asked) => {
      if (asked.request !== 'WriteCommands' || held !== undefined) return loop.service.ordinary(asked);
      held = asked;
      return undefined;
    };
    await loop.until(() => held !== undefined);
    loop.clock.advance(350);
    await setImmediate();
    assert.equal(loop.cycles, 1);
    loop.service.send({ request_id: held?.id, result: true });
    await loop.until(() => loop.clock.pending > 0);
    await loop.until(() => overruns.length === 2, 10);
    assert.deepEqual(overruns, [0, 3]);
    assert.deepEqual(elapsed, [0.1, 0.4]);
  });

  test('a write that fails is reported, and the module goes on', async (t) => {
    const failures: unknown[] = [];
    let value = 1;
    const loop = await Loop.start(t, {
      cycle: (plant) => {
        plant.write('auto', true);
        plant.write('valve', value);
      },
      onWriteFailed: ({ name, value: given, error, mayHaveHappened }) =>
        failures.push([name, given, error.name, mayHaveHappened]),
    });
    const refused = { name: 'valve', result: false, error: unknownObject('valve') };
    loop.service.answer = (asked) =>
      asked.request === 'WriteCommands' && value === 1
        ? { result: false, error: unknownObject('valve'), results: [{ name: 'auto', result: true }, refused] }
        : loop.service.ordinary(asked);
    await loop.until(() => failures.length === 1);
    value = Number.NaN;
    await loop.until(() => failures.length === 2, 10);
    assert.deepEqual(failures, [
      ['valve', 1, 'TelltaleProblem', false],
      ['valve', Number.NaN, 'ValueError', false],
    ]);
  });

  test('where nobody asks for failures, a line reports when they begin and when they end', async (t) => {
    const loop = await Loop.start(t, { cycle: (plant) => plant.write('valve', 1) });
    let isBroken = true;
    loop.service.answer = (asked) =>
      asked.request === 'WriteCommands' && isBroken
        ? { result: false, error: { status: 502, title: 'No', detail: 'Local switch.' } }
        : loop.service.ordinary(asked);
    await loop.until(() => loop.cycles === 3, 10);
    isBroken = false;
    await loop.until(() => loop.cycles === 5, 10);
    assert.deepEqual(loop.logged, ['valve was not written with 1: No. Local switch.', 'valve is written again.']);
  });

  test('while the link is lost everything is bad, writes fail, and all is well when it is back', async (t) => {
    const failures: string[] = [];
    const loop = await Loop.start(t, {
      cycle: (plant) => plant.write('valve', 1),
      onWriteFailed: ({ error }) => failures.push(error.name),
    });
    await loop.until(() => loop.cycles === 1);
    loop.service.hangUp();
    await loop.until(() => loop.logged.length > 0);
    const before = loop.cycles;
    loop.clock.advance(100);
    await loop.until(() => loop.cycles > before);
    assert.equal(loop.seen.at(-1), 'level is 1 (bad, communication failure)');
    await loop.until(() => failures.length > 0);
    assert.deepEqual([...new Set(failures)], ['Unreachable']);
    assert.match(loop.logged[0] ?? '', /^The link to the service is lost \(.*\): everything is bad/);
    loop.service.measurements.set('level', level(2));
    await loop.until(() => loop.seen.at(-1) === 'level is 2 (good)', 10);
    assert.equal(
      loop.seen.includes('level is 1 (good)', before),
      false,
      'what was known before the loss is never shown as good after it',
    );
  });

  test('of a service that says nothing any more everything is bad within 5 s', async (t) => {
    const loop = await Loop.start(t);
    await loop.until(() => loop.cycles === 1);
    loop.service.answer = () => undefined;
    const startMs = loop.clock.monotonicMs();
    await loop.until(() => loop.seen.at(-1) === 'level is 1 (bad, communication failure)', 100);
    assert.ok(loop.clock.monotonicMs() - startMs <= 5000);
    assert.match(loop.logged[0] ?? '', /it was silent for 2 s/);
  });

  test('a bad measurement is no number, and a name that there is not is bad until there is', async (t) => {
    const numbers: (number | undefined)[] = [];
    const loop = await Loop.start(t, {
      measurements: ['level', 'flow'],
      cycle: (plant) => {
        numbers.push(plant.measurement('level').number, plant.measurement('flow').number);
      },
    });
    await loop.until(() => loop.cycles === 1);
    loop.service.publish(level(7, 0x18));
    await loop.until(() => loop.seen.at(-1) === 'level is 7 (bad, communication failure)', 10);
    assert.deepEqual(numbers.slice(0, 2), [1, undefined]);
    assert.deepEqual(numbers.slice(-2), [undefined, undefined]);
    assert.deepEqual(loop.logged, ['measurement flow is bad: There is no measurement flow.']);
  });

  test('where no name is there yet, it waits for them', async (t) => {
    const loop = await Loop.start(t, { commands: ['later'] });
    await loop.until(() => loop.cycles === 1);
    loop.service.commands.set('later', { name: 'later', vt: ['i5', [1, 0]] });
    const asked = loop.service.of('WatchCommands').length;
    await loop.until(() => loop.service.of('WatchCommands').length > asked, 100);
    assert.deepEqual(loop.logged, ['command later is bad: The object does not exist. There is no measurement later.']);
  });

  test('answers queries by itself, with its status', async (t) => {
    const loop = await Loop.start(t, {
      cycle: (plant) => {
        plant.status = 'x'.repeat(2000);
      },
    });
    await loop.until(() => loop.cycles === 1);
    loop.service.send({ notification: 'FunctionModuleQuery', query_id: 12 });
    await loop.until(() => loop.service.of('AnswerQuery').length === 1);
    const [{ query_id, status } = assert.fail()] = loop.service.of('AnswerQuery');
    assert.deepEqual([query_id, status], [12, 'x'.repeat(1000)]);
  });

  test('does not look alive while a cycle hangs', async (t) => {
    const hanging = Promise.withResolvers<void>();
    const loop = await Loop.start(t, { cycle: () => hanging.promise });
    await loop.until(() => loop.seen.length === 1);
    await loop.until(() => loop.clock.monotonicMs() > 10_000, 100);
    for (const query_id of [1, 2]) loop.service.send({ notification: 'FunctionModuleQuery', query_id });
    await loop.until(() => loop.logged.length === 1);
    hanging.resolve();
    await loop.until(() => loop.cycles === 1);
    loop.service.send({ notification: 'FunctionModuleQuery', query_id: 3 });
    await loop.until(() => loop.service.of('AnswerQuery').length > 0);
    assert.deepEqual(
      loop.service.of('AnswerQuery').map(({ query_id }) => query_id),
      [3],
    );
    assert.deepEqual(loop.logged, ['The cycle has not ended for 10 s: queries stay unanswered until it does.']);
  });

  test('when it is stopped it finishes its cycle, calls onStop, writes what that sets, and leaves nothing', async (t) => {
    const order: string[] = [];
    const running = Promise.withResolvers<void>();
    const loop = await Loop.start(t, {
      cycle: async () => {
        await running.promise;
        order.push('cycle');
      },
      onStop: (plant) => {
        order.push('stop');
        plant.write('auto', true);
      },
    });
    await loop.until(() => loop.seen.length === 1);
    loop.stopping.abort();
    running.resolve();
    await loop.ended;
    assert.deepEqual(order, ['cycle', 'stop']);
    assert.deepEqual(written(loop.service), [[{ name: 'auto', value: 'b1' }]]);
    assert.equal(loop.clock.pending, 0);
  });

  test('is ended by what a cycle throws', async (t) => {
    const loop = await Loop.start(t, {
      cycle: (plant: Plant) => {
        plant.write('vavle', 1);
      },
    });
    await assert.rejects(loop.ended, /"vavle" is not in the list of commands/);
    assert.equal(loop.clock.pending, 0);
  });

  test('does not start where the environment lacks something, or the period is none', async () => {
    const options = { cycleMs: 100, cycle: () => undefined, signal: AbortSignal.abort() };
    await assert.rejects(module({ TELLTALE_MODULE: 'loop' }, options), {
      message: /^The environment has no TELLTALE_BASE_URL, TELLTALE_WS_URL, TELLTALE_TOKEN: /,
    });
    const env = {
      TELLTALE_MODULE: 'm',
      TELLTALE_BASE_URL: 'http://127.0.0.1/',
      TELLTALE_WS_URL: 'ws://127.0.0.1:1/',
      TELLTALE_TOKEN: 't',
    };
    for (const cycleMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(module(env, { ...options, cycleMs }), /cycleMs is a number of milliseconds/);
    }
  });
});
