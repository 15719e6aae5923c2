// Promises of answers and first values that are longer than what may wait for a client that does not keep up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';

const cleanup = suiteCleanup();
/** 69 MiB in all. */
const names = Array.from({ length: 1100 }, (_, at) => `text_${at}`);
const long = 'x'.repeat(1 << 16);
const service = new ModuleInterface(new ScriptedModules(), { maxWatches: names.length });
const { measurements, commands, alarms } = service.data;

before(async () => {
  await service.open();
  cleanup.defer(() => service.close());
  for (const name of names) {
    measurements.put({ name, datatype: 's' });
    commands.put({ name, datatype: 's' });
    await measurements.simulate(name, { value: `s${long}`, quality: undefined, validForS: undefined, by: 'test' });
    await commands.write(name, `s${long}`);
  }
});

interface Reported {
  readonly request_id?: number;
  readonly result?: boolean;
  readonly notification?: string;
  readonly updates?: readonly { readonly name: string; readonly vtq?: [string]; readonly vt?: [string] }[];
  readonly changes?: readonly { readonly name: string }[];
  readonly measurements?: Record<string, { readonly vtq: [string] }>;
}

/** A client that reads all it is sent. */
async function connect() {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`, { maxPayload: 256 << 20 });
  cleanup.defer(() => socket.terminate());
  const reported: Reported[] = [];
  let closed: string | undefined;
  socket.on('message', (message: Buffer) => reported.push(JSON.parse(message.toString())));
  socket.on('close', (code, reason) => (closed = `closed with ${code} ${reason}`));
  await once(socket, 'open');
  /** The first of its kind, when it is there. */
  const heard = async (isIt: (message: Reported) => boolean): Promise<Reported> => {
    for (;;) {
      const found = reported.findIndex(isIt);
      if (found >= 0) return reported.splice(found, 1)[0] as Reported;
      assert.equal(closed, undefined);
      await Promise.race([once(socket, 'message'), once(socket, 'close')]);
    }
  };
  const ask = (request: object) => socket.send(JSON.stringify(request));
  const answer = (id: number) => heard(({ request_id: of }) => of === id);
  return { ask, answer, heard };
}

/** How many of the long texts are there, whole. */
function wholeTexts(values: Iterable<string | undefined>): number {
  return [...values].filter((value) => value?.length === long.length + 1).length;
}

describe('a client that takes what it asked for stays, and gets all of it, though it is more than 64 MiB:', () => {
  test('a read', async () => {
    const { ask, answer } = await connect();
    ask({ request: 'ReadMeasurements', id: 1 });
    // Read from the socket with the first one, and each carried out when the one before was taken.
    for (const id of [2, 3]) ask({ request: 'ReadMeasurements', id, names });
    for (const id of [1, 2, 3]) {
      const { measurements: read = {} } = await answer(id);
      assert.equal(wholeTexts(Object.values(read).map(({ vtq }) => vtq[0])), names.length);
    }
  });

  test('the first values of a watch, and every change and alarm behind them', async () => {
    const { ask, answer, heard } = await connect();
    ask({ request: 'WatchAlarms', id: 1, alarms: 'all' });
    await answer(1);
    await heard(({ changes }) => changes !== undefined);
    for (const [id, request] of [
      [2, { request: 'WatchMeasurements', measurements: names }],
      [3, { request: 'WatchMeasurements', measurements: 'all' }],
      [4, { request: 'WatchCommands', commands: 'all' }],
    ] as const) {
      ask({ ...request, id });
      assert.equal((await answer(id)).result, true);
      await alarms.operate('high', 'activate', 'test');
      const texts: string[] = [];
      while (wholeTexts(texts) < names.length) {
        const { updates = [] } = await heard(({ updates: some }) => some !== undefined);
        for (const { vtq, vt } of updates) texts.push((vtq ?? vt)?.[0] ?? '');
      }
      assert.equal(wholeTexts(texts), names.length);
      await heard(({ changes }) => changes?.[0]?.name === 'high');
      await alarms.operate('high', 'deactivate', 'test');
      await alarms.operate('high', 'acknowledge', 'test');
    }
    await measurements.simulate('level', { value: 'd4', quality: undefined, validForS: undefined, by: 'test' });
    await heard(({ updates }) => updates?.some(({ name, vtq }) => name === 'level' && vtq?.[0] === 'd4') ?? false);
  });
});
