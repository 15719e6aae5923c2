// Promises of what is told of one object: who did what to it, and what became of that, for whoever may view it and no more.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient, TelltaleProblem } from '@telltale/client';
import type { ObjectAction } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { plant } from './audit-plant.ts';
import { makeTokens } from './granted-server.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let tokens: Awaited<ReturnType<typeof makeTokens<'watcher' | 'hall'>>>;

before(async () => {
  const open = await startServer(cleanup, { data: folder });
  await new TelltaleClient({ url: open.url }).configuration.transaction(plant, { render: true });
  await open.end();
  tokens = await makeTokens(folder, { watcher: [{ role: 'viewer' }], hall: [{ role: 'viewer', area: 'hall' }] });
  server = await startServer(cleanup, { data: folder });
});

const clientOf = (name: keyof typeof tokens) => new TelltaleClient({ url: server.url, token: tokens[name] });
const brief = ({ who, action, old, new: now, reason, result }: ObjectAction) =>
  JSON.parse(JSON.stringify({ who, action, old, new: now, reason, result })) as object;
const who = 'token/chief_token';

describe('what was done to an object', () => {
  test('is told with who, why and what became of it, the newest first', async () => {
    const chief = clientOf('chief');
    await chief.commands.write('valve', 'i1', { reason: 'a <b>reason</b>' });
    await chief.commands.write('valve', 'wrong').catch(() => undefined);
    await chief.commands.write('pump', 'i7');
    const { actions, next } = await clientOf('watcher').commands.actions('valve');
    assert.deepEqual(
      actions.slice(0, 2).map(brief),
      [
        { who, action: 'write', old: 'i0', new: 'wrong', result: 'invalid-value' },
        { who, action: 'write', old: 'i0', new: 'i1', reason: 'a <b>reason</b>', result: 'done' },
      ].map((each, at) => (at === 0 ? { ...each, old: 'i1' } : each)),
    );
    assert.equal(next, null);
    await chief.measurements.simulate('level', 'd2', { validForS: 60, reason: 'test' });
    await chief.measurements.stopSimulation('level');
    const level = await chief.measurements.actions('level');
    assert.deepEqual(
      level.actions.slice(0, 2).map(({ action, reason }) => [action, reason]),
      [
        ['release', undefined],
        ['force', 'test'],
      ],
    );
    await chief.alarms.activate('high');
    await chief.alarms.acknowledge('high');
    const high = await chief.alarms.actions('high');
    assert.deepEqual(
      high.actions.slice(0, 2).map(({ action, old, new: now }) => [action, old, now]),
      [
        ['acknowledge', 'ACT_UNACK', 'ACT_ACK'],
        ['activate', 'INACT_ACK', 'ACT_UNACK'],
      ],
    );
  });

  test('has changes of its configuration, alone or among others, whose contents only those see who may read it', async () => {
    const chief = clientOf('chief');
    const object = { name: 'level', datatype: 'd', description: 'a' } as const;
    await chief.configuration.put('measurements', 'level', object);
    const others = ['valve', 'level'].map((name) => ({
      operation: 'put' as const,
      family: 'measurements' as const,
      name,
      object: { ...object, name, description: 'b' },
    }));
    await chief.configuration.transaction(others, { render: true, comment: 'both' });
    await chief.configuration.transaction(others, { commit: false });
    const { actions } = await chief.measurements.actions('level', { limit: 2 });
    assert.deepEqual(
      actions.map(({ action, new: now, reason }) => [action, (now as { description?: string }).description, reason]),
      [
        ['configure', 'b', 'both'],
        ['configure', 'a', undefined],
      ],
    );
    const seen = await clientOf('watcher').measurements.actions('level', { limit: 2 });
    assert.deepEqual(
      seen.actions.map(({ action, old, new: now }) => [action, old, now]),
      [
        ['configure', undefined, undefined],
        ['configure', undefined, undefined],
      ],
    );
    const valve = await chief.commands.actions('valve');
    assert.equal(
      valve.actions.some(({ reason }) => reason === 'both'),
      false,
    ); // that was a measurement
  });

  test('comes in pages that leave nothing out', async () => {
    const chief = clientOf('chief');
    const all = (await chief.commands.actions('valve')).actions;
    const found: ObjectAction[] = [];
    let before: number | undefined;
    do {
      const { actions, next } = await chief.commands.actions('valve', { limit: 1, before });
      found.push(...actions);
      before = next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(found, all);
    assert.ok(all.length >= 2);
  });

  test('is not told of what is out of view', async () => {
    await clientOf('hall').commands.actions('valve');
    await assert.rejects(clientOf('hall').commands.actions('pump'), (error: unknown) => {
      return error instanceof TelltaleProblem && error.problem === 'unknown-object';
    });
  });
});
