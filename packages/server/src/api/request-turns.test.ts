import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { RequestTurns } from './request-turns.ts';

let clock: ManualClock;
let turns: RequestTurns;
let begun: string[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new RequestTurns(clock);
  begun = [];
});

/** Each request takes so long. */
const work = (name: string, ms: number) => () => {
  begun.push(name);
  clock.advance(ms);
};

/** The only request of a connection. */
function ask(name: string, ms = 1, hasOthers = () => false): void {
  if (turns.hasTime()) work(name, ms)();
  else turns.wait(work(name, ms), hasOthers);
}

const crowd = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

async function allBegun(): Promise<number> {
  let most = 0;
  while (turns.pending > 0) {
    const before = begun.length;
    await turn();
    most = Math.max(most, begun.length - before);
  }
  return most;
}

test('requests begin at once while the turn has time, and the others in the next ones, as many as there is time for', async () => {
  for (const name of crowd(300)) ask(name);
  assert.deepEqual([begun.length, turns.pending], [10, 290]);
  assert.ok((await allBegun()) <= 20);
  assert.deepEqual([new Set(begun).size, begun.length], [300, 300]);
});

test('where they take no time, all begin at once', () => {
  for (const name of crowd(300)) ask(name, 0);
  assert.deepEqual([begun.length, turns.pending], [300, 0]);
});

test('a request that comes behind a crowd waits for two of it at most', async () => {
  for (const name of crowd(300)) ask(name);
  for (const name of crowd(300)) turns.waitBehind(work(`behind ${name}`, 1));
  await turn();
  ask('late');
  const before = begun.length;
  await allBegun();
  assert.ok(begun.indexOf('late') - before <= 2, `${begun.indexOf('late') - before} came before it`);
});

test('a request in the middle of a crowd of which each has sent others behind its first waits for two of it at most', async () => {
  const others = () => true;
  for (const name of crowd(150)) ask(name, 1, others);
  ask('alone');
  for (const name of crowd(150)) ask(`later ${name}`, 1, others);
  const before = begun.length;
  await allBegun();
  assert.ok(begun.indexOf('alone') - before <= 2, `${begun.indexOf('alone') - before} came before it`);
  assert.equal(new Set(begun).size, 301);
});

test('neither the oldest nor those behind others wait for ever, whatever comes', async () => {
  for (const name of crowd(20)) ask(name);
  turns.waitBehind(work('behind', 1));
  for (let count = 0; turns.pending > 0 && count < 100; count++) {
    for (const name of crowd(3)) ask(`new ${count} ${name}`);
    await turn();
    if (begun.includes('10') && begun.includes('behind')) break;
  }
  assert.ok(begun.includes('10') && begun.includes('behind'));
  await allBegun();
});

test('some begin in each turn, however long they take: so the newest waits for one turn, though newer ones come', async () => {
  for (const name of crowd(100)) ask(name, 20);
  assert.equal(begun.length, 8);
  for (let count = 0; count < 5; count++) {
    ask(`late ${count}`, 20);
    ask('newer', 20);
    await turn();
    await turn();
    assert.ok(begun.includes(`late ${count}`), `late ${count} still waits`);
  }
  await allBegun();
});

test('after a pause a turn has all of its time again', async () => {
  ask('long', 30);
  await turn();
  await turn();
  for (const name of crowd(300)) ask(name);
  assert.equal(begun.length, 11);
  await allBegun();
});
