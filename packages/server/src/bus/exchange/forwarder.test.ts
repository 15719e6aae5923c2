// What is promised of a command that a centre sends: carried out once, in its time, by the start of the site that it was meant for,
// or never; and whoever has lost the answer can ask for it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { ExchangeWorld, siteId } from '../../../test/bus/exchange-world.ts';
import type { SiteExchange } from '../index.ts';
import { exchanges } from '../subjects.ts';

const away = { name: 'ForwardError', word: 'away' };
const refused = { name: 'ForwardError', word: 'refused' };
const unknown = { name: 'ForwardError', word: 'unknown' };

describe('a command of a centre', () => {
  test('is carried out at the site, for whoever asked, and answered', async (t) => {
    const world = await ExchangeWorld.start(t);
    let asked: SiteExchange | undefined;
    world.handle = (exchange) => {
      asked = exchange;
      exchange.answer({ status: 200, headers: { 'content-type': 'text/plain' } });
      exchange.stream.pipe(exchange.stream);
    };
    const { answer, stream, id } = world.put('/data/commands/a', 'd5');
    assert.deepEqual(await answer, { status: 200, headers: { 'content-type': 'text/plain' } });
    await until('it is over', () => stream.closed && world.open === 0 && world.forwarder.open === 0);
    const { request, untilMs } = asked as SiteExchange;
    assert.deepEqual([request.method, request.path, request.caller], ['PUT', '/data/commands/a', { author: 'ann' }]);
    assert.equal(untilMs, world.clock.monotonicMs() + 4000);
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, id), { state: 'done', status: 200 });
  });

  test('is refused at once where the site is not there, and where nobody listens', async (t) => {
    const world = await ExchangeWorld.start(t);
    assert.throws(
      () => world.forwarder.forward('elsewhere', { method: 'GET', path: '/', headers: {}, caller: {} }),
      away,
    );
    await world.killSite();
    await assert.rejects(world.put('/a').answer, away);
    world.clock.advance(5000);
    assert.throws(() => world.put('/a'), { ...away, message: /nothing is heard of it/ });
    await world.startSite();
    world.bus.isUp = false;
    await assert.rejects(world.put('/a').answer, away);
    assert.deepEqual(world.done, []);
  });

  test('is not carried out when it comes late, by however little', async (t) => {
    const world = await ExchangeWorld.start(t);
    for (const [lateMs, isDone] of [
      [2000, true],
      [2001, false],
    ] as const) {
      world.bus.isHeld = true;
      const { answer } = world.put('/a', undefined, 2000);
      // The site beats as well; what it says waits, too.
      world.clock.advance(lateMs);
      world.bus.isHeld = false;
      const heard = answer.catch((error: Error) => assert.match(error.message, /too late/));
      world.bus.pass();
      if (isDone) await until('it is done', () => world.done.length === 1);
      await heard;
    }
    assert.deepEqual(world.done, ['PUT /a']);
  });

  test('has less time by as much as the last word of the site was on its way', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.bus.isHeld = true;
    world.clock.advance(1000);
    world.clock.advance(800);
    world.bus.pass();
    world.bus.isHeld = false;
    let untilMs = 0;
    const { handle } = world;
    world.handle = (exchange) => {
      ({ untilMs } = exchange);
      handle(exchange);
    };
    await world.put('/a').answer;
    assert.equal(untilMs, world.clock.monotonicMs() - 800 + 4000);
  });

  test('is not carried out when it becomes late while it is noted on the disk', async (t) => {
    const world = await ExchangeWorld.start(t);
    const { answer, id } = world.put('/a');
    world.clock.advance(4001);
    await assert.rejects(answer, { ...refused, message: /too late/ });
    assert.deepEqual(world.done, []);
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, id), { state: 'not-begun' });
  });

  test('is not carried out by another start of the site, nor under another epoch', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.bus.isHeld = true;
    const { answer } = world.put('/a');
    await world.stopSite();
    await world.startSite();
    world.bus.isHeld = false;
    world.bus.pass(1);
    await assert.rejects(answer, { ...refused, message: /started anew/ });
    world.bus.pass();
    world.epoch = 8;
    await assert.rejects(world.put('/b').answer, { ...refused, message: /another node acts/ });
    world.clock.advance(1000);
    await world.put('/c').answer;
    assert.deepEqual(world.done, ['PUT /c']);
  });

  test('is carried out once, however often it comes', async (t) => {
    const world = await ExchangeWorld.start(t);
    const copies: (() => void)[] = [];
    world.bus.subscribe(exchanges.toSite(siteId), ({ subject, data, reply }) => {
      const other = subject.replace(/\d+$/, '77');
      copies.push(
        () => world.bus.publish(subject, data, reply),
        () => world.bus.publish(other, data, reply),
      );
    });
    const { answer, stream, id } = world.put('/a');
    const again = () => {
      for (const copy of copies.splice(0)) copy();
    };
    again();
    await answer;
    await until('it is over', () => stream.closed);
    again();
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, id), { state: 'done', status: 204 });
    assert.deepEqual(world.done, ['PUT /a']);
  });

  test('may take its time to come, as long as the site goes on taking it', async (t) => {
    const world = await ExchangeWorld.start(t);
    let taken = 0;
    world.handle = ({ stream, answer }) => {
      stream.on('data', ({ length }: Buffer) => {
        taken += length;
      });
      stream.on('end', () => answer({ status: 204, headers: {} }, true));
    };
    const request = { method: 'PUT', path: '/a', headers: {}, caller: {} };
    const { answer, stream } = world.forwarder.forward(siteId, request);
    for (let part = 1; part <= 4; part++) {
      stream.write(Buffer.alloc(100_000));
      await until('it is taken', () => taken === part * 100_000);
      world.clock.advance(10_000);
    }
    stream.end();
    assert.equal((await answer).status, 204);
  });

  test('of which no answer came can be asked for, and what was not begun then never will be', async (t) => {
    const world = await ExchangeWorld.start(t);
    const { handle } = world;
    world.handle = ({ stream }) => void stream.resume();
    const under = world.put('/a');
    await until('it is begun', () => world.done.length === 1);
    world.clock.advance(15_000);
    await assert.rejects(under.answer, { ...unknown, id: under.id, message: /no answer came in time/ });
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, under.id), { state: 'begun' });
    world.bus.isHeld = true;
    const held = world.put('/b');
    const outcome = world.forwarder.outcomeOf(siteId, held.id);
    world.bus.isHeld = false;
    // What was sent later comes first.
    world.bus.pass(1, 1);
    assert.deepEqual(await outcome, { state: 'not-begun' });
    world.bus.pass();
    world.handle = handle;
    await world.put('/c').answer;
    assert.deepEqual(world.done, ['PUT /a', 'PUT /c']);
  });

  test('is carried out however many others ask for what never was', async (t) => {
    const world = await ExchangeWorld.start(t);
    for (let at = 0; at < 1000; at++) {
      assert.deepEqual(await world.forwarder.outcomeOf(siteId, `nothing-${at}`), { state: 'not-begun' });
      await until('it is over', () => world.open === 0);
    }
    await assert.rejects(world.forwarder.outcomeOf(siteId, 'nothing-more'), { ...refused, message: /too much/ });
    await world.put('/a').answer;
    assert.deepEqual(world.done, ['PUT /a']);
  });

  test('keeps its outcome over a restart of the site', async (t) => {
    const world = await ExchangeWorld.start(t);
    const answered = world.put('/a');
    await answered.answer;
    world.handle = () => undefined;
    const cut = world.put('/b');
    await until('it is begun', () => world.done.length === 2);
    await world.killSite();
    await world.startSite();
    await assert.rejects(cut.answer, { ...unknown, message: /started anew/ });
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, answered.id), { state: 'done', status: 204 });
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, cut.id), { state: 'begun' });
  });

  test('is not carried out where its id cannot be noted', async (t) => {
    const world = await ExchangeWorld.start(t);
    await world.outcomes?.close();
    world.outcomes = undefined;
    await assert.rejects(world.put('/a').answer, { ...refused, message: /cannot note it on its disk/ });
    const reads = world.forwarder.forward(
      siteId,
      { method: 'GET', path: '/b', headers: {}, caller: {} },
      { isEnd: true },
    );
    reads.stream.resume();
    await reads.answer;
    assert.deepEqual(world.done, ['GET /b']);
  });

  test('has an unknown outcome when either side loses the bus, or the site falls silent', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.handle = ({ stream }) => void stream.resume();
    const one = world.put('/a');
    await until('it is begun', () => world.done.length === 1);
    world.bus.set(false);
    await assert.rejects(one.answer, { ...unknown, message: /lost the bus/ });
    world.bus.set(true);
    assert.equal(world.open, 0);
    const other = world.put('/b');
    await until('it is begun', () => world.done.length === 2);
    world.bus.isHeld = true;
    world.clock.advance(5000);
    await assert.rejects(other.answer, { ...unknown, message: /the site is gone: nothing is heard/ });
    // The site finds out by itself that nobody is there.
    world.clock.advance(40_000);
    await until('it is over', () => world.open === 0);
  });
});

describe('an exchange', () => {
  test('goes on for as long as both are there', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.handle = ({ answer, stream }) => {
      answer({ status: 200, headers: {} });
      stream.write('first');
    };
    const { stream, answer } = world.forwarder.forward(siteId, { method: 'GET', path: '/', headers: {}, caller: {} });
    await answer;
    world.clock.advance(600_000);
    assert.deepEqual([world.open, stream.destroyed, String(stream.read())], [1, false, 'first']);
    stream.destroy();
    await until('it is over', () => world.open === 0);
  });

  test('is refused when too many are open', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.handle = () => undefined;
    const get = () =>
      world.forwarder.forward(siteId, { method: 'GET', path: '/', headers: {}, caller: {} }, { isEnd: true });
    for (let at = 0; at < 192; at++) get();
    await assert.rejects(get().answer, { ...refused, message: /too much to do/ });
    // There is room for what changes something.
    for (let at = 0; at < 64; at++) world.put(`/${at}`);
    await until('they are begun', () => world.done.filter((each) => each.startsWith('PUT')).length === 64);
    await assert.rejects(world.put('/more').answer, { ...refused, message: /too much to do/ });
  });

  test('that HTTP cannot be asked for ends nothing but itself', async (t) => {
    const world = await ExchangeWorld.start(t);
    world.handle = () => {
      throw new TypeError('Request path contains unescaped characters');
    };
    const { answer, id } = world.put('/a');
    await assert.rejects(answer, { ...refused, message: /unescaped/ });
    assert.deepEqual(await world.forwarder.outcomeOf(siteId, id), { state: 'not-begun' });
  });
});
