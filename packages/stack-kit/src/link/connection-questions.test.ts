import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { never, setUp, turns } from '../../test/connection-bench.ts';
import { BackOff, NotConnected, Refused } from '../connector.ts';

describe('what a stack is asked beside its link', () => {
  const point = { id: 1, name: 'p', address: 'p', datatype: 'd', properties: {} } as const;
  const request = { path: undefined, cursor: undefined, limit: 10 };
  const { signal } = new AbortController();
  const item = { title: 'Level', path: undefined, measurement: undefined, command: undefined };

  test('detail that throws is reported once and not asked again; the link stays', async () => {
    let asked = 0;
    const { begin, connection, lines, events } = setUp({
      detail() {
        asked++;
        throw new Error('a mistake');
      },
    });
    await begin();
    for (let i = 0; i < 3; i++) assert.deepEqual(connection.detail().devices, []);
    assert.equal(asked, 1);
    assert.ok(lines.includes('error detail failed: a mistake'));
    assert.deepEqual(events, ['up']);
  });

  test('explain is answered, or nothing where the stack does not know', async () => {
    const trace = {
      timeUs: 1,
      request: 'read',
      raw: 'ff',
      value: 1,
      error: undefined,
      device: undefined,
      scanPeriodMs: undefined,
    };
    const sending = setUp({ explain: (asked) => (asked === point ? trace : undefined) });
    assert.equal(sending.connection.explain(point), undefined);
    await sending.begin();
    assert.deepEqual(sending.connection.explain(point), trace);
    const mute = setUp();
    await mute.begin();
    assert.equal(mute.connection.explain(point), undefined);
  });

  test('browse is answered while the link is up, and only where the stack can', async () => {
    const { begin, connection } = setUp({ browse: async () => ({ items: [item], cursor: undefined }) });
    assert.equal((await connection.browse(request, signal)).kind, 'notConnected');
    await begin();
    const outcome = await connection.browse(request, signal);
    assert.deepEqual(outcome, { kind: 'answered', answer: { items: [item], cursor: undefined } });
    const mute = setUp();
    await mute.begin();
    assert.deepEqual(await mute.connection.browse(request, signal), { kind: 'unsupported' });
  });

  test('browse that is refused, fails or answers with something else says so', async () => {
    const errors: unknown[] = [new Refused('no such folder'), new NotConnected('gone'), 5, undefined];
    const { begin, connection, lines } = setUp({
      async browse() {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return { items: 7 } as never;
      },
    });
    await begin();
    assert.deepEqual(await connection.browse(request, signal), { kind: 'refused', reason: 'no such folder' });
    assert.deepEqual(await connection.browse(request, signal), { kind: 'notConnected', reason: 'gone' });
    assert.deepEqual(await connection.browse(request, signal), { kind: 'refused', reason: '5' });
    assert.match(JSON.stringify(await connection.browse(request, signal)), /refused.*without a list/);
    assert.equal(lines.filter((line) => line.startsWith('warn browse failed')).length, 2);
  });

  test('browse that a device is too busy for is as without a link; those that failed hold up no others', async () => {
    const browse = () => Promise.reject(new BackOff(1000, 'busy'));
    const { begin, connection, clock } = setUp({ browse });
    await begin();
    const pending = clock.pending;
    for (let i = 0; i < 10; i++) {
      assert.deepEqual(await connection.browse(request, signal), { kind: 'notConnected', reason: 'busy' });
    }
    assert.equal(clock.pending, pending);
  });

  test('browse ends after 30 s, with its asker, or with the link; those that do not come back are few', async () => {
    let asked = 0;
    let lose: (error: Error) => void = () => undefined;
    const { begin, pass, connection, lines } = setUp({
      run: () => new Promise<void>((_, reject) => (lose = reject)),
      browse() {
        asked++;
        return never as never;
      },
    });
    await begin();
    const late = connection.browse(request, signal);
    await pass(30_000);
    await pass(0);
    assert.deepEqual(await late, { kind: 'late' });
    const asker = new AbortController();
    const left = connection.browse(request, asker.signal);
    asker.abort(new Error('left'));
    await pass(0);
    assert.deepEqual(await left, { kind: 'refused', reason: 'left' });
    const before = asked;
    assert.deepEqual(await connection.browse(request, asker.signal), { kind: 'refused', reason: 'left' });
    assert.equal(asked, before);
    const lost = connection.browse(request, signal);
    lose(new Error('cable'));
    await turns();
    await pass(0);
    assert.deepEqual(await lost, { kind: 'notConnected', reason: 'cable' });
    assert.deepEqual(
      lines.filter((line) => line.includes('browse')),
      [],
    );
    await pass(30_000);
    const fourth = connection.browse(request, signal);
    assert.deepEqual(await connection.browse(request, signal), { kind: 'tooMany' });
    connection.stop();
    await turns();
    await pass(0);
    assert.equal((await fourth).kind, 'notConnected');
  });

  test('a provider gets its alarms after its points, and again when it is recreated', async () => {
    const reported: string[] = [];
    const alarm = { id: 1, name: 'high', description: '', severity: 1, measurement: 4 };
    const state = { id: 1, isActive: true, isAcknowledged: false, timeUs: 1, authority: 'trigger' };
    const { begin, connection, lines } = setUp({
      setPoints: () => void reported.push('points'),
      setAlarms: (alarms) => void reported.push(`alarms ${alarms.map(({ name }) => name)}`),
      publishAlarms(states) {
        reported.push(`states ${states.map(({ id }) => id)}`);
        throw new Error('a mistake');
      },
    });
    connection.setAlarms([alarm]);
    connection.publishAlarms([state]);
    await begin();
    connection.publishAlarms([state]);
    connection.setAlarms([]);
    connection.setAlarms([alarm]);
    await begin();
    // Not with other points: no states would follow.
    assert.deepEqual(reported, ['points', 'alarms high', 'states 1', 'alarms ', 'alarms high', 'points']);
    assert.ok(lines.includes('error publishAlarms failed: a mistake'));
  });
});
