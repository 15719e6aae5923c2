import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { BackOff, NoAnswer, NotConnected, Refused, type StackCommand } from '../connector.ts';
import { written } from '../write-result.ts';
import { LinkWrites, maxPendingWrites, type WriteOutcome } from './link-writes.ts';

interface Handed {
  readonly id: number;
  readonly value: Value;
  readonly signal: AbortSignal;
  /** Accepted where it says nothing. */
  readonly resolve: (result?: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface HandedTogether {
  readonly values: readonly Value[];
  readonly signal: AbortSignal;
  readonly resolve: (results: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function setUp() {
  const clock = new ManualClock();
  const handed: Handed[] = [];
  const batches: HandedTogether[] = [];
  const errors: string[] = [];
  const accepted: Value[] = [];
  const gone = new Set<number>();
  const permission = { isThere: true };
  const silent = () => undefined;
  const writes = new LinkWrites({
    clock,
    log: { debug: silent, info: silent, warn: silent, error: (text) => errors.push(text) },
    command: (id) =>
      id < 100 && !gone.has(id)
        ? { id, name: `c${id}`, address: '', datatype: 'd', properties: {}, last: undefined }
        : undefined,
    hand: ({ id }: StackCommand, value, signal) =>
      new Promise((answer, reject) => {
        const resolve = (result: unknown = written.accepted) => answer(result);
        handed.push({ id, value, signal, resolve, reject });
      }),
    handMany: (together, signal) =>
      new Promise((resolve, reject) => {
        batches.push({ values: together.map(({ value }) => value), signal, resolve, reject });
      }),
    onAccepted: (_, value) => accepted.push(value),
    mayWrite: () => permission.isThere,
  });
  const one = (commandId: number, value: Value, limitMs: number) =>
    writes.write([{ commandId, value }], limitMs)[0] as Promise<WriteOutcome>;
  const outcomes: string[] = [];
  const write = (id: number, value: Value, limitMs = 1000) =>
    one(id, value, limitMs).then((outcome) => outcomes.push(`${value} ${inWords(outcome)}`));
  const turns = async () => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  };
  return { clock, handed, batches, errors, accepted, gone, permission, writes, outcomes, one, write, turns };
}

function inWords(outcome: WriteOutcome): string {
  return outcome.kind === 'timeout' ? `timeout ${outcome.sent ? 'sent' : 'not sent'}` : outcome.kind;
}

describe('writes', () => {
  test('that the device does not answer have timed out, and it may have them', async () => {
    const { write, handed, turns, outcomes } = setUp();
    write(1, 'a');
    handed[0]?.reject(new NoAnswer('silence'));
    await turns();
    assert.deepEqual(outcomes, ['a timeout sent']);
  });

  test('are not handed over any more when they may not be sent, also those that wait', async () => {
    const { writes, one, handed, permission, turns } = setUp();
    const [first, second] = [one(1, 'a', 1000), one(1, 'b', 1000)];
    assert.equal(writes.hasUnanswered, true);
    permission.isThere = false;
    handed[0]?.resolve();
    await turns();
    const reason = 'this node does not lead the site any more';
    assert.deepEqual(await Promise.all([first, second, one(2, 'c', 1000)]), [
      { kind: 'accepted' },
      { kind: 'notConnected', reason },
      { kind: 'notConnected', reason },
    ]);
    assert.deepEqual([handed.length, writes.hasUnanswered], [1, false]);
  });

  test('of one command go one after another, of others beside them', async () => {
    const { write, handed, turns, outcomes } = setUp();
    write(1, 'a');
    write(1, 'b');
    write(2, 'c');
    assert.deepEqual(
      handed.map(({ value }) => value),
      ['a', 'c'],
    );
    handed[0]?.resolve(written.refused('no'));
    await turns();
    assert.deepEqual([handed[2]?.value, outcomes], ['b', ['a refused']]);
  });

  test('that wait when the link is lost are not sent; the one that the stack has may still be answered', async () => {
    const { write, writes, handed, turns, outcomes, accepted } = setUp();
    write(1, 'a');
    write(1, 'b');
    write(2, 'c');
    writes.lost('cable');
    await turns();
    assert.deepEqual(outcomes, ['b notConnected']);
    assert.ok(handed.every(({ signal }) => signal.aborted));
    handed[0]?.resolve();
    await turns();
    writes.closed();
    await turns();
    await write(3, 'd');
    assert.deepEqual(outcomes, ['b notConnected', 'a accepted', 'c timeout sent', 'd notConnected']);
    assert.deepEqual([handed.length, accepted], [2, ['a']]);
  });

  test('that are not answered in time are aborted, reported as sent, and a late answer changes nothing', async () => {
    const { clock, write, handed, turns, outcomes, accepted } = setUp();
    write(1, 'a');
    clock.advance(999);
    assert.equal(handed[0]?.signal.aborted, false);
    clock.advance(1);
    assert.equal(handed[0]?.signal.aborted, true);
    handed[0]?.resolve();
    await turns();
    assert.deepEqual([outcomes, accepted, clock.pending], [['a timeout sent'], [], 0]);
  });

  test('that wait behind one for all their time are never sent', async () => {
    const { clock, write, handed, turns, outcomes } = setUp();
    write(1, 'a', 2000);
    write(1, 'b', 1000);
    clock.advance(1000);
    handed[0]?.resolve();
    await turns();
    assert.deepEqual([outcomes, handed.length], [['b timeout not sent', 'a accepted'], 1]);
  });

  test('an aborted write that does not end holds up its command for 2 s and no longer', async () => {
    const { clock, write, handed, turns, errors } = setUp();
    write(1, 'a');
    clock.advance(1000);
    write(1, 'b', 10_000);
    write(1, 'c', 10_000);
    clock.advance(1999);
    assert.equal(handed.length, 1);
    clock.advance(1);
    assert.deepEqual([handed.length, errors.length], [2, 1]);
    handed[0]?.resolve();
    await turns();
    assert.equal(handed.length, 2);
    handed[1]?.resolve();
    await turns();
    assert.equal(handed.length, 3);
  });

  test('the stack says how they ended: accepted, refused, not sent, or unknown, which is a timeout that may have been sent', async () => {
    const { one, handed } = setUp();
    for (const [result, outcome] of [
      [written.accepted, { kind: 'accepted' }],
      [written.refused('interlock'), { kind: 'refused', reason: 'interlock' }],
      [written.notSent('gone'), { kind: 'notConnected', reason: 'gone' }],
      [written.unknown('silence'), { kind: 'timeout', sent: true, reason: 'silence' }],
    ] as const) {
      const writing = one(1, 1, 1000);
      handed.at(-1)?.resolve(result);
      assert.deepEqual(await writing, outcome);
    }
  });

  test('of which the stack throws, whatever it is, or says nothing that makes sense, may be with the device', async () => {
    const { one, handed } = setUp();
    const outcomeOf = async (end: (write: Handed) => void) => {
      const writing = one(1, 1, 1000);
      end(handed.at(-1) as Handed);
      return inWords(await writing);
    };
    const thrown = [new Refused('no'), new NotConnected('x'), new BackOff(1000, 'x'), new NoAnswer('x'), 'what', null];
    for (const error of thrown) assert.equal(await outcomeOf(({ reject }) => reject(error)), 'timeout sent');
    const hostile = {
      get kind() {
        throw new Error('no');
      },
    };
    const odd = [null, 0, '', 'accepted', true, {}, [], { kind: 'Accepted' }, { kind: 'constructor' }, hostile];
    for (const each of odd) assert.equal(await outcomeOf(({ resolve }) => resolve(each)), 'timeout sent');
  });

  test('cut off by the loss of the link may have been sent, unless the stack itself says otherwise', async () => {
    const { write, writes, handed, turns, outcomes } = setUp();
    write(1, 'a');
    write(2, 'b');
    writes.lost('cable');
    const [passedOn, knows] = handed;
    passedOn?.reject(passedOn.signal.reason);
    knows?.resolve(written.notSent('it was still waiting here'));
    await turns();
    assert.deepEqual(outcomes, ['a timeout sent', 'b notConnected']);
  });

  test('of a command that is gone are not sent', async () => {
    const { one } = setUp();
    assert.equal((await one(100, 1, 1000)).kind, 'superseded');
  });

  test('that wait while their command goes are refused at once and not sent; others wait on', async () => {
    const { writes, write, handed, gone, turns, outcomes } = setUp();
    for (const value of ['a', 'b', 'c']) write(1, value);
    for (const value of ['d', 'e']) write(2, value);
    gone.add(1);
    writes.commandsChanged();
    await turns();
    assert.deepEqual(outcomes, ['b superseded', 'c superseded']);
    handed[0]?.resolve();
    handed[1]?.resolve();
    await turns();
    assert.deepEqual(outcomes.slice(2), ['a accepted', 'd accepted']);
    assert.deepEqual(
      handed.map(({ value }) => value),
      ['a', 'd', 'e'],
    );
  });

  test('that were answered make room: there may be any number, one after another', async () => {
    const { one, handed } = setUp();
    for (let at = 0; at <= maxPendingWrites; at++) {
      const outcome = one(1, at, 1000);
      handed[at]?.resolve();
      assert.equal((await outcome).kind, 'accepted');
    }
  });

  test('that came too late and never end leave nothing behind when the link is closed', async () => {
    const { clock, write, writes, turns, errors } = setUp();
    write(1, 'a');
    clock.advance(1000);
    writes.lost('cable');
    writes.closed();
    await turns();
    clock.advance(10_000);
    assert.deepEqual([clock.pending, errors], [0, []]);
  });

  test('beyond 1,000 are refused at once, those included that the stack never ended', async () => {
    const { clock, write, outcomes, turns, handed } = setUp();
    for (let i = 0; i < maxPendingWrites; i++) write(i % 50, i);
    await write(1, 'more');
    assert.deepEqual(outcomes, ['more refused']);
    clock.advance(1000);
    await turns();
    assert.equal(outcomes.length, maxPendingWrites + 1);
    for (let i = 0; i < maxPendingWrites - 50; i++) write(60, i, 1);
    await turns();
    await write(1, 'again');
    assert.equal(outcomes.at(-1), 'again refused');
    for (const each of handed) each.resolve();
  });
});

describe('writes that come together', () => {
  const three = [1, 2, 3].map((commandId) => ({ commandId, value: `v${commandId}` }));

  test('are handed over together, and each has the outcome that the stack gives it', async () => {
    const { writes, handed, batches, accepted } = setUp();
    const outcomes = writes.write(three, 1000);
    assert.deepEqual([handed.length, batches[0]?.values], [0, ['v1', 'v2', 'v3']]);
    batches[0]?.resolve([written.accepted, written.refused('no'), written.unknown('silence')]);
    const words = (await Promise.all(outcomes)).map(inWords);
    assert.deepEqual([words, accepted], [['accepted', 'refused', 'timeout sent'], ['v1']]);
  });

  test('of which the stack says too little, or throws, may be with the device', async () => {
    const { writes, batches } = setUp();
    const ended = async (end: (batch: HandedTogether) => void) => {
      const outcomes = writes.write(three, 1000);
      end(batches.at(-1) as HandedTogether);
      return (await Promise.all(outcomes)).map(inWords);
    };
    const inDoubt = ['timeout sent', 'timeout sent', 'timeout sent'];
    for (const results of [undefined, {}, [], 'accepted', [null, 5, {}]]) {
      assert.deepEqual(await ended(({ resolve }) => resolve(results)), inDoubt);
    }
    assert.deepEqual(await ended(({ reject }) => reject(new Refused('no'))), inDoubt);
    const first = await ended(({ resolve }) => resolve([written.accepted]));
    assert.deepEqual(first, ['accepted', 'timeout sent', 'timeout sent']);
  });

  test('wait where an earlier one of their command is under way, and the second of a command behind the first', async () => {
    const { writes, one, handed, batches, turns } = setUp();
    one(1, 'early', 1000);
    const [second] = writes.write([...three, { commandId: 3, value: 'again' }], 1000);
    assert.deepEqual([handed.map(({ value }) => value), batches[0]?.values], [['early'], ['v2', 'v3']]);
    batches[0]?.resolve([written.accepted, written.accepted]);
    handed[0]?.resolve();
    await turns();
    assert.deepEqual(
      handed.map(({ value }) => value),
      ['early', 'again', 'v1'],
    );
    handed[2]?.resolve();
    assert.equal((await second)?.kind, 'accepted');
  });

  test('are aborted together when their time is over, and never sent again', async () => {
    const { clock, writes, batches, handed, turns, errors } = setUp();
    const outcomes = writes.write(three, 1000);
    clock.advance(1000);
    assert.deepEqual((await Promise.all(outcomes)).map(inWords), ['timeout sent', 'timeout sent', 'timeout sent']);
    assert.equal(batches[0]?.signal.aborted, true);
    batches[0]?.resolve([written.accepted, written.accepted, written.accepted]);
    await turns();
    clock.advance(10_000);
    assert.deepEqual([batches.length, handed.length, errors, clock.pending], [1, 0, [], 0]);
  });

  test('are cut off together when the link is lost, and those of commands that are gone are not sent', async () => {
    const { writes, batches, gone } = setUp();
    gone.add(2);
    const outcomes = writes.write(three, 1000);
    assert.deepEqual(batches[0]?.values, ['v1', 'v3']);
    writes.lost('cable');
    batches[0]?.reject(batches[0].signal.reason);
    const words = (await Promise.all(outcomes)).map(inWords);
    assert.deepEqual(words, ['timeout sent', 'superseded', 'timeout sent']);
  });
});

test('whatever happens, a write reaches the stack at most once, one of a command at a time, and has one outcome that fits', async () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        ids: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
        limitMs: fc.integer({ min: 1, max: 50 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('accept', 'refuse', 'break'), at: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lost', 'turn') }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, writes, handed, batches } = setUp();
      const outcomes = new Map<number, WriteOutcome[]>();
      const answered = new Set<Value>();
      const open = new Set<HandedTogether>();
      const all = (): HandedTogether[] => [
        ...batches,
        ...handed.map(({ value, signal, resolve, reject }) => ({
          values: [value],
          signal,
          resolve: (results: unknown) => resolve((results as unknown[])[0]),
          reject,
        })),
      ];
      const sent = () => all().flatMap(({ values }) => values);
      const seen = new Set<Value>();
      const look = () => {
        for (const each of all()) {
          const [first] = each.values;
          if (first === undefined || seen.has(first)) continue;
          for (const value of each.values) seen.add(value);
          open.add(each);
        }
      };
      let [asked, isLost] = [0, false];
      for (const each of [...steps, { do: 'lost' as const }]) {
        if (each.do === 'write' && 'ids' in each) {
          const together = each.ids.map((commandId) => ({ commandId, value: asked++ }));
          for (const { value } of together) outcomes.set(value, []);
          for (const [at, outcome] of writes.write(together, each.limitMs).entries()) {
            outcome.then((known) => outcomes.get(together[at]?.value ?? -1)?.push(known));
          }
        } else if ('ms' in each) clock.advance(each.ms);
        else if ('at' in each) {
          const one = [...open][each.at % Math.max(1, open.size)];
          if (one === undefined) continue;
          open.delete(one);
          if (each.do === 'accept') for (const value of one.values) answered.add(value);
          if (each.do === 'break') one.reject('broken');
          else one.resolve(one.values.map(() => (each.do === 'accept' ? written.accepted : written.refused('no'))));
        } else if (each.do === 'lost') {
          writes.lost('cable');
          isLost = true;
        }
        await null;
        if (isLost) assert.equal(seen.size, sent().length, 'handed over after the loss');
        look();
        if (each.do !== 'wait') await new Promise(setImmediate);
        if (!isLost) look();
      }
      writes.closed();
      await new Promise(setImmediate);
      assert.equal(new Set(sent()).size, sent().length, 'handed over twice');
      for (const [value, given] of outcomes) {
        assert.equal(given.length, 1, `${given.length} outcomes`);
        const [outcome] = given;
        if (outcome?.kind === 'accepted') assert.ok(answered.has(value));
        if (outcome?.kind === 'notConnected') assert.ok(!sent().includes(value));
        if (outcome?.kind === 'timeout') assert.equal(outcome.sent, sent().includes(value));
      }
    }),
    { numRuns: 200 },
  );
});
