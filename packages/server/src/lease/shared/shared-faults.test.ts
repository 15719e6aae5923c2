// Promises of the shared state while members of etcd are killed, stopped and cut off, and while others begin to lead. SHARED_ROUNDS says
// how many faults there are; TEST_SEED which.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultProxy } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from '../../../../../test/engines/etcd.ts';
import { SeededRandom, testSeed } from '../../../../../test/seeded-random.ts';
import { type Known, type Led, lead, nameOf, startFollower } from '../../../test/shared-world.ts';

const rounds = Number(process.env.SHARED_ROUNDS ?? 8);
const keys = 20;

interface Write {
  readonly epoch: number;
  readonly number: number;
  isAcknowledged: boolean;
}

/** All writes to a key, in the order in which they were begun. */
class Book {
  readonly writes: Write[] = [];
  readonly seen: Write[] = [];

  /** What somebody who follows reads must be of a write, and not before what was read last. */
  read(text: string): void {
    const [epoch, number] = text.split(' ').map(Number);
    const write = this.writes.find((each) => each.epoch === epoch && each.number === number);
    assert.ok(write, `nobody has written ${text}`);
    const last = this.seen.at(-1);
    if (last === write) return;
    const isLater = !last || write.epoch > last.epoch || (write.epoch === last.epoch && write.number > last.number);
    assert.ok(isLater, `${text} came after ${last?.epoch} ${last?.number}`);
    this.seen.push(write);
  }

  /** At the end: nothing that was acknowledged is lost. */
  check(text: string | undefined): void {
    const acknowledged = this.writes.filter(({ isAcknowledged }) => isAcknowledged).at(-1);
    if (text === undefined) assert.equal(acknowledged, undefined);
    if (text === undefined) return;
    this.read(text);
    const last = this.seen.at(-1) as Write;
    const isKept = !acknowledged || this.writes.indexOf(last) >= this.writes.indexOf(acknowledged);
    assert.ok(isKept, `${acknowledged?.epoch} ${acknowledged?.number} was acknowledged, and ${text} is there`);
  }
}

/** Writes on and on, whether it leads or not. */
async function write(led: Led, books: readonly Book[], random: SeededRandom, isOver: () => boolean): Promise<number> {
  let acknowledged = 0;
  const running = new Set<Promise<void>>();
  for (let number = 1; !isOver() && !led.state.isOver; number++) {
    const at = random.between(0, keys - 1);
    const write: Write = { epoch: led.epoch, number, isAcknowledged: false };
    books[at]?.writes.push(write);
    const text = `${led.epoch} ${number}`;
    const bytes = random.chance(0.05) ? Buffer.from(text.padEnd(20_000)) : Buffer.from(text);
    const one = led.state.change([{ family: 'commands', name: `c${at}`, bytes }], random.between(100, 1500)).then(
      () => {
        write.isAcknowledged = true;
        acknowledged++;
      },
      () => undefined,
    );
    running.add(one);
    void one.then(() => running.delete(one));
    await (running.size < 30 ? sleep(random.between(0, 3)) : Promise.race(running));
  }
  await Promise.all(running);
  return acknowledged;
}

interface World {
  readonly etcd: Etcd;
  readonly between: readonly FaultProxy[];
  readonly random: SeededRandom;
}

/** For a while; answers with what it was. */
async function befall({ etcd, between, random }: World): Promise<string> {
  const at = random.between(0, 2);
  const [member, proxy, ms] = [etcd.members[at], between[at], random.between(200, 2500)];
  if (member === undefined || proxy === undefined) throw new RangeError(`there is no member ${at}`);
  const kind = random.pick(['kill', 'freeze', 'majority', 'cut', 'deaf', 'late', 'all deaf']);
  if (kind === 'kill') {
    await member.kill();
    await sleep(ms);
    await member.again();
  } else if (kind === 'freeze') {
    await member.freeze();
    await sleep(ms);
    member.thaw();
  } else if (kind === 'majority') {
    const others = etcd.members.filter((each) => each !== member);
    for (const each of others) await each.freeze();
    await sleep(ms);
    for (const each of others) each.thaw();
  } else if (kind === 'cut') {
    await proxy.refuse();
    proxy.reset();
    await sleep(ms);
    await proxy.listen();
  } else {
    const faulty = kind === 'all deaf' ? between : [proxy];
    const faults =
      kind === 'late' ? { toDevice: { kind: 'delay', ms } as const } : { toClient: { kind: 'discard' } as const };
    for (const each of faulty) each.setFaults(faults);
    await sleep(ms);
    for (const each of faulty) each.setFaults({});
  }
  return kind;
}

async function world(t: TestContext): Promise<World & { readonly known: Known; readonly ports: readonly number[] }> {
  const etcd = await Etcd.start(t, { members: 3 });
  const between = await Promise.all(
    etcd.members.map(async ({ port }) => cleanupOf(t).use(await FaultProxy.start({ host: '127.0.0.1', port }))),
  );
  const ports = between.map(({ port }) => port);
  return { etcd, between, random: new SeededRandom(testSeed), known: startFollower(t, etcd, { ports }), ports };
}

describe('the shared state of a site', { skip: withoutEtcd }, () => {
  test('loses nothing that was acknowledged and never goes back, whatever befalls etcd and whoever leads', async (t) => {
    const all = await world(t);
    const { etcd, random, known, ports } = all;
    const books = Array.from({ length: keys }, () => new Book());
    const befallen: string[] = [];
    const leading: Led[] = [];
    const writers: Promise<number>[] = [];
    let isOver = false;
    const reading = (async () => {
      for (; !isOver; await sleep(5)) {
        for (const [at, book] of books.entries()) {
          const text = known.texts.get(nameOf({ family: 'commands', name: `c${at}` }));
          if (text !== undefined) book.read(text);
        }
      }
    })();
    cleanupOf(t).defer(() => {
      isOver = true;
    });
    for (let round = 0; round < rounds; round++) {
      // Who led before goes on as long as it does not know.
      if (round % 2 === 0) {
        const led = await lead(t, etcd, known, { ports, ttlMs: random.pick([1000, 2000]) });
        leading.push(led);
        writers.push(write(led, books, random, () => isOver));
      }
      befallen.push(await Promise.race([befall(all), reading.then(() => 'over')]));
    }
    // Whoever leads at last goes on.
    const last = leading.at(-1) as Led;
    await last.state.change([{ family: 'commands', name: 'last', bytes: Buffer.from('1') }], 60_000);
    isOver = true;
    await reading;
    const acknowledged = await Promise.all(writers);
    t.diagnostic(`TEST_SEED=${testSeed}: ${befallen}; ${acknowledged} acknowledged; begun ${known.begun} times`);
    const late = startFollower(t, etcd);
    for (const texts of [await late.upToDate(), await known.upToDate()]) {
      for (const [at, book] of books.entries()) book.check(texts.get(nameOf({ family: 'commands', name: `c${at}` })));
    }
  });
});
