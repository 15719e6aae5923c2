// Whatever is asked of modules, whatever becomes of their processes, and in whatever order: they do as the rules say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FunctionModule, fromTimestamp, type ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import { ModuleBench } from '../../test/module-bench.ts';
import { PlainModule, type PlainRequest } from '../../test/plain-module.ts';
import type { ModuleConnection } from './liveness.ts';

const runs = Number(process.env.MODEL_RUNS ?? 500);
const names = ['a', 'b'] as const;
type Name = (typeof names)[number];

type Step =
  | { readonly kind: 'put'; readonly name: Name; readonly fields: Omit<FunctionModule, 'name'> }
  | { readonly kind: 'start' | 'stop' | 'restart' | 'remove' | 'replace'; readonly name: Name }
  | { readonly kind: 'started' | 'connect' | 'answer' | 'lateAnswer'; readonly name: Name }
  | { readonly kind: 'ended'; readonly name: Name; readonly code: number }
  | { readonly kind: 'notStarted'; readonly name: Name; readonly mayPass: boolean }
  /** The newest is 0. */
  | { readonly kind: 'disconnect'; readonly which: number }
  | { readonly kind: 'advance'; readonly ms: number };

const name = fc.constantFrom(...names);
const fields = fc.record(
  {
    termToKill: fc.constantFrom(100, 2000),
    queryTimeout: fc.constantFrom(0, 0, 77, 777, 3331),
    enabled: fc.constantFrom(true, true, true, false),
    respawn: fc.constantFrom(true, true, false),
    runMode: fc.constantFrom('service', 'service', 'once', 'cron * * * * *'),
    description: fc.constantFrom('one', 'another'),
    env: fc.constantFrom({}, { GAIN: '1' }),
    properties: fc.constantFrom<Record<string, string>[]>({}, { writes: 'valve_1' }),
  },
  { requiredKeys: ['termToKill', 'queryTimeout', 'enabled', 'respawn', 'runMode', 'env'] },
);
const ms = fc.oneof(
  fc.integer({ min: 1, max: 400 }),
  fc.integer({ min: 1, max: 5000 }),
  fc.integer({ min: 1, max: 70_000 }),
);
const kind = <const Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const ended = fc.record({ kind: kind('ended'), name, code: fc.constantFrom(0, 1) });
const going: fc.Arbitrary<Step[]> = fc.oneof(
  fc.constant<Step[]>([]),
  fc
    .record({ kind: kind('advance'), ms: fc.constantFrom(30, 200, 900) })
    .map((wait): Step[] => [{ kind: 'disconnect', which: 0 }, wait]),
);
const steps: fc.Arbitrary<Step[]> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .oneof(
        { weight: 2, arbitrary: fc.record({ kind: kind('put'), name, fields }) },
        { weight: 2, arbitrary: fc.record({ kind: kind('start', 'stop', 'restart', 'remove', 'replace'), name }) },
        { weight: 6, arbitrary: fc.record({ kind: kind('started', 'connect', 'answer', 'lateAnswer'), name }) },
        { weight: 2, arbitrary: ended },
        { weight: 1, arbitrary: fc.record({ kind: kind('notStarted'), name, mayPass: fc.boolean() }) },
        { weight: 1, arbitrary: fc.record({ kind: kind('disconnect'), which: fc.nat(3) }) },
        { weight: 4, arbitrary: fc.record({ kind: kind('advance'), ms }) },
      )
      .map((one) => [one]),
  },
  // What chance alone would seldom bring: ends again and again, lively modules, small changes, times.
  {
    weight: 2,
    arbitrary: fc
      .tuple(ended, fc.integer({ min: 2, max: 7 }), fc.constantFrom(100, 8000, 20_000))
      .map(([end, times, waitMs]) =>
        Array.from({ length: times }, (): Step[] => [
          { kind: 'started', name: end.name },
          end,
          { kind: 'advance', ms: waitMs },
        ]).flat(),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(name, fc.array(ms, { maxLength: 4 }), going).map(([of, waits, goes]): Step[] => [
      { kind: 'started', name: of },
      { kind: 'connect', name: of },
      ...waits.flatMap((waitMs): Step[] => [
        { kind: 'answer', name: of },
        { kind: 'advance', ms: waitMs },
      ]),
      { kind: 'answer', name: of },
      ...goes,
    ]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(name, fields, fields).map(([of, one, { queryTimeout, env, properties = {} }]): Step[] => [
      { kind: 'put', name: of, fields: { ...one, enabled: true } },
      { kind: 'advance', ms: 60_000 },
      { kind: 'started', name: of },
      { kind: 'put', name: of, fields: { ...one, enabled: true, queryTimeout, env, properties } },
    ]),
  },
);

interface Connection {
  readonly id: number;
  readonly name: Name;
  readonly real: ModuleConnection;
}

/** The real modules beside the plain ones. */
class Both {
  readonly bench = new ModuleBench();
  readonly plain = Object.fromEntries(
    names.map((each) => [each, new PlainModule(this.bench.clock.now() / 1000)]),
  ) as Record<Name, PlainModule>;
  readonly connections: Connection[] = [];
  readonly lastQuery: Partial<Record<Name, number>> = {};
  readonly requests: { readonly plain: PlainRequest; outcome: string }[] = [];

  constructor() {
    this.bench.modules.open();
  }

  take(taken: Step): void {
    const { bench } = this;
    if (taken.kind === 'advance') {
      bench.clock.advance(taken.ms);
      for (const each of names) this.plain[each].advance(taken.ms);
      return;
    }
    if (taken.kind === 'disconnect') {
      const connection = this.connections.at(-1 - taken.which);
      connection?.real.closed();
      if (connection !== undefined) this.plain[connection.name].disconnect(connection.id);
      return;
    }
    const plain = this.plain[taken.name];
    const run = bench.processes.alive.get(taken.name);
    switch (taken.kind) {
      case 'put': {
        const module = { name: taken.name, ...taken.fields };
        bench.modules.put(module);
        plain.put(module);
        break;
      }
      case 'remove':
        bench.modules.remove(taken.name);
        plain.remove();
        break;
      case 'start':
      case 'stop':
      case 'restart':
        this.#request(taken.kind, taken.name);
        break;
      case 'replace':
        bench.modules.executableReplaced(taken.name, undefined);
        plain.replaced();
        break;
      case 'started':
        if (run === undefined || run.isStarted) break;
        bench.started(taken.name);
        plain.processStarted();
        break;
      case 'ended':
        if (run === undefined) break;
        bench.ended({ code: taken.code }, taken.name);
        plain.processEnded({ code: taken.code });
        break;
      case 'notStarted':
        if (run === undefined || run.isStarted) break;
        bench.notStarted('no', taken.mayPass, taken.name);
        plain.processEnded({ mayPass: taken.mayPass });
        break;
      case 'connect':
        this.#connect(taken.name);
        break;
      case 'answer':
        assert.equal(bench.modules.answered(taken.name, this.lastQuery[taken.name] ?? 0, 'well'), plain.answer());
        break;
      case 'lateAnswer':
        assert.equal(bench.modules.answered(taken.name, (this.lastQuery[taken.name] ?? 0) - 1, 'late'), false);
        break;
    }
  }

  /** What is reported fits, and nobody runs who should not. */
  check(): void {
    const { modules, processes, tokens } = this.bench;
    for (const each of names) {
      const plain = this.plain[each];
      const run = processes.alive.get(each);
      assert.equal(run !== undefined, plain.run !== undefined, 'whether it runs');
      assert.equal(this.bench.starts(each), plain.starts, 'how often it was started');
      assert.equal((run?.stops.length ?? 0) > 0, plain.run !== undefined && plain.run.order !== 'run', 'told to end');
      assert.ok((run?.stops.length ?? 0) <= 1, 'told twice');
      assert.equal(modules.has(each), plain.definition !== undefined);
      if (plain.definition === undefined) continue;
      const reported = modules.status(each);
      assert.equal(reported.state, plain.state);
      assert.equal(reported.restarts, plain.restarts);
      assert.equal(reported['exit-code'], plain.exitCode);
      assert.equal(reported['last-error'] !== null, plain.hasFailed);
      assert.equal(reported.pid !== null, plain.run?.isStarted ?? false);
      const next = reported['next-start'];
      assert.equal(next === null ? undefined : fromTimestamp(next) / 1000, plain.nextStartMs);
      this.#checkRun(each, run?.launch.env);
    }
    assert.equal(tokens.valid.size, processes.alive.size, 'a token a run');
  }

  /** Nothing waits, all that runs is told to end; when it has, there is nothing left. */
  async close(): Promise<void> {
    const { modules, processes, clock, tokens } = this.bench;
    const closed = modules.close(1000);
    assert.equal(clock.pending, 0, 'something waits');
    for (const { stops } of processes.alive.values()) assert.ok((stops.at(-1) ?? Infinity) <= 1000);
    for (const each of [...processes.alive.keys()]) this.bench.ended({ code: 0 }, each);
    await closed;
    await new Promise((resolve) => setImmediate(resolve)); // answers are promises
    const { length } = processes.launches;
    modules.put({ name: 'a', termToKill: 0, queryTimeout: 0, env: { LATE: 'yes' } });
    clock.advance(10_000_000);
    assert.equal(processes.launches.length, length, 'started after the end');
    assert.equal(tokens.valid.size, 0);
    for (const { outcome, plain } of this.requests) {
      if (plain.outcome === 'waits') assert.notEqual(outcome, 'waits', 'nobody answers');
      else assert.equal(outcome, plain.outcome);
    }
  }

  /** It runs as it is configured now, unless it is about to end. */
  #checkRun(each: Name, env: Readonly<Record<string, string>> | undefined): void {
    const { run, definition } = this.plain[each];
    if (env === undefined || run?.order !== 'run') return;
    assert.equal(env.GAIN, definition?.env?.GAIN);
    const writes = this.bench.tokens.valid.get(env.TELLTALE_TOKEN ?? '');
    assert.equal(writes, definition?.properties?.writes ?? '');
  }

  #request(asked: 'start' | 'stop' | 'restart', of: Name): void {
    const request = { plain: this.plain[of].request(asked), outcome: 'waits' };
    this.requests.push(request);
    this.bench.modules[asked](of).then(
      () => {
        request.outcome = 'done';
      },
      (error: ProblemError) => {
        request.outcome = error.problem;
      },
    );
  }

  #connect(of: Name): void {
    const id = this.connections.length;
    const real = this.bench.modules.connected(of, (query) => {
      this.lastQuery[of] = query;
    });
    this.connections.push({ id, name: of, real });
    this.plain[of].connect(id);
  }
}

test('modules do as the rules say, whatever is asked of them and whatever they do', async () => {
  const statesSeen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60, size: 'max' }), async (all) => {
      const both = new Both();
      for (const taken of all.flat()) {
        both.take(taken);
        both.check();
        for (const each of names) {
          const { state, definition } = both.plain[each];
          if (definition !== undefined) statesSeen.set(state, (statesSeen.get(state) ?? 0) + 1);
        }
      }
      await both.close();
    }),
    { numRuns: runs },
  );
  assert.deepEqual([...statesSeen.keys()].sort(), ['FAIL', 'INIT', 'RUN', 'STOP']);
});
