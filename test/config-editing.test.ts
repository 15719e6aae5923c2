// Editing with the real server: comments, comparing, discarding and restoring, over HTTP and at the command line.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { Blame, type Change, Comparison, checker, Difference, type RevisionSummary, Revisions } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { noTerminal, runCli, runOnTerminal } from './cli-process.ts';
import { ConfigClient } from './config-client.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let client: TelltaleClient;
const http = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
  client = new TelltaleClient({ url: server.url });
  const plant = [
    put('measurements', 'level', { datatype: 'd', archMode: 'change', eu: 'm', properties: { archRetention: '90y' } }),
    put('measurements', 'flow', { datatype: 'd' }),
    put('alarms', 'high', { severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '80' }),
  ];
  await client.configuration.transaction(plant, { render: true, comment: 'the plant' });
});

const good = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await runCli(args, server);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
};
const refused = async (...args: string[]): Promise<string> => {
  const { code, stderr } = await runCli(args, server);
  assert.notEqual(code, 0);
  return stderr;
};
const names = (changes: readonly { change: string; name: string }[]) =>
  changes.map(({ change, name }) => `${change} ${name}`);
const newest = async () => (await client.configuration.revisions())[0] as RevisionSummary;
const edit = (eu: string) => client.configuration.put('measurements', 'level', { ...levelObject, eu });
const levelObject = { name: 'level', datatype: 'd', archMode: 'change', properties: { archRetention: '90y' } } as const;

describe('a comment', () => {
  test('comes with a rendering, by whatever it is rendered, and is listed', async () => {
    const [{ comment } = { comment: '' }] = await http.read<RevisionSummary[]>('/cfgdb/revisions');
    assert.equal(comment, 'the plant');
    await edit('cm');
    await http.done('POST', `/cfgdb/render?comment=${encodeURIComponent('in "cm", 5 % – größer')}`);
    assert.equal((await newest()).comment, 'in "cm", 5 % – größer');
    await good('config', 'set', 'measurements', 'level', 'eu=m', '--render', '--comment', 'metres');
    assert.equal((await newest()).comment, 'metres');
    const { comment: ofRename } = await (async () => {
      await client.configuration.rename('measurements', 'flow', 'inflow', {
        render: true,
        comment: 'it is the inflow',
      });
      return newest();
    })();
    assert.equal(ofRename, 'it is the inflow');
    await good('config', 'render', '--force', '--comment', 'once more');
    const { id } = await newest();
    const revision = await good<{ id: number; comment: string; changes: Change[] }>(
      'config',
      'revisions',
      String(id - 1),
    );
    assert.deepEqual([revision.id, revision.comment], [id - 1, 'it is the inflow']);
    assert.deepEqual(
      revision.changes.map(({ name, renamedFrom }) => [name, renamedFrom]),
      [
        ['flow', undefined],
        ['inflow', 'flow'],
      ],
    );
    assert.deepEqual(checker(Revisions).faults(await client.configuration.revisions()), []);
  });

  test('is one line of bounded length, and refused where nothing is rendered', async () => {
    for (const text of ['', 'a\nb', '\u202eabc', 'x'.repeat(501)]) {
      await http.refused('invalid-query', 'POST', `/cfgdb/render?comment=${encodeURIComponent(text)}`);
    }
    await http.refused('invalid-query', 'POST', '/cfgdb/revisions/1/restore?comment=why');
    assert.match(
      await refused('config', 'set', 'measurements', 'level', 'eu=m', '--comment', 'x'),
      /goes with --render/,
    );
    const { stderr } = await runCli(['config', 'render', '--comment', 'nothing'], server);
    assert.match(stderr, /up to date: nothing was rendered/);
  });
});

describe('edits', () => {
  test('are discarded as a whole, by family and by name, and shown before', async () => {
    await edit('mm');
    await client.configuration.put('alarms', 'low', { name: 'low', severity: 1 });
    const shown = await good<{ discarded: Change[] }>('config', 'discard', '--all', '--dry-run');
    assert.deepEqual(names(shown.discarded), ['added low', 'changed level']);
    assert.match(await refused('config', 'discard'), /add --all/);
    assert.equal((await client.configuration.diff()).length, 2);
    const answer = await http.ask('POST', '/cfgdb/discard?family=measurements&name=lev*');
    assert.deepEqual(checker(Difference).faults(JSON.parse(answer.text)), []);
    assert.deepEqual(names(JSON.parse(answer.text).changes), ['changed level']);
    assert.deepEqual(names((await good<{ discarded: Change[] }>('config', 'discard', '--all')).discarded), [
      'added low',
    ]);
    assert.equal(await client.configuration.isUpToDate(), true);
    assert.match(
      await refused('config', 'discard', 'alarms', 'nobody'),
      /There is no alarm "nobody" in the configuration/,
    );
    await http.refused('invalid-query', 'POST', '/cfgdb/discard?name=level');
  });

  test('and revisions are compared, in either direction', async () => {
    const { id } = await newest();
    await edit('km');
    const both = await http.read<{ changes: Change[] }>(`/cfgdb/compare?from=1&to=${id}`);
    assert.deepEqual(checker(Comparison).faults(both), []);
    assert.deepEqual(names(both.changes), ['removed flow', 'added inflow']);
    assert.deepEqual(names((await good<{ changes: Change[] }>('config', 'diff', '1')).changes).sort(), [
      'added inflow',
      'changed level',
      'removed flow',
    ]);
    const back = await good<{ changes: Change[] }>('config', 'diff', 'edited', 'rendered');
    assert.deepEqual(back.changes[0]?.fields, [{ field: 'eu', before: 'km', after: 'm' }]);
    assert.match(await refused('config', 'diff', 'yesterday'), /neither a revision/);
    await http.refused('unknown-revision', 'GET', '/cfgdb/compare?from=999');
    await http.refused('invalid-query', 'GET', '/cfgdb/compare?from=-1');
    await client.configuration.discard();
  });
});

describe('restoring', () => {
  test('one object brings it back as it was, deleted or not, and leaves the others', async () => {
    await edit('km');
    await client.configuration.delete('alarms', 'high');
    await client.configuration.render();
    await good('config', 'restore', '1', 'alarms', 'high');
    assert.deepEqual(names(await client.configuration.diff()), ['added high']);
    await http.done('POST', '/cfgdb/revisions/1/restore?family=measurements&name=level&render=1&comment=back');
    assert.deepEqual(
      [(await newest()).comment, (await client.configuration.get('measurements', 'level')).eu],
      ['back', 'm'],
    );
    assert.match(await refused('config', 'restore', '1', 'alarms', 'low'), /alarms has no low in revision 1/);
    assert.match(await refused('config', 'restore', '1', 'alarms'), /Which of the alarms/);
  });

  test('an object from before a rename gives it its old name, and its history', async () => {
    const records: [string, [number, number], number][] = [['d1', [1_600_000_000, 0], 0xc0]];
    await client.archive.backfill('measurements', 'level', records);
    await client.configuration.rename('measurements', 'level', 'basin', { render: true });
    const read = (name: string) =>
      client.archive.read('measurements', name, { since: [1_600_000_000, 0], until: [1_600_000_010, 0] });
    assert.deepEqual(await read('basin'), records);
    const would = await good<{ changes: Change[] }>('config', 'restore', '1', 'measurements', 'level', '--dry-run');
    assert.deepEqual(would.changes.map(({ name, renamedFrom }) => [name, renamedFrom]).sort(), [
      ['basin', undefined],
      ['level', 'basin'],
    ]);
    await good('config', 'restore', '1', 'measurements', 'level', '--render');
    assert.deepEqual(await read('level'), records);
    assert.equal((await client.configuration.get('alarms', 'high')).trgMeasurement, 'level');
    assert.deepEqual(await client.configuration.names('measurements'), ['inflow', 'level']);
  });
});

describe('blame', () => {
  test('tells of each field who changed it last, in which revision, over HTTP and at the command line', async () => {
    await edit('in');
    await client.configuration.render({ comment: 'inches' });
    const { id } = await newest();
    await client.configuration.put('measurements', 'level', { ...levelObject, eu: 'in', description: 'of the basin' });
    const blame = await http.read<Blame>('/cfgdb/blame?family=measurements&name=level');
    assert.deepEqual(checker(Blame).faults(blame), []);
    assert.deepEqual(blame, await good('config', 'blame', 'measurements', 'level'));
    const of = (name: string) => blame.fields.find(({ field }) => field === name);
    assert.deepEqual(
      { ...of('eu'), time: undefined },
      { field: 'eu', value: 'in', author: 'local', time: undefined, revision: id, comment: 'inches' },
    );
    assert.deepEqual([of('description')?.author, of('description')?.revision], ['local', undefined]);
    assert.deepEqual([of('datatype')?.revision, of('datatype')?.comment], [1, 'the plant']);
    assert.deepEqual(of('properties.archRetention')?.value, '90y');
    await http.refused('unknown-object', 'GET', '/cfgdb/blame?family=measurements&name=nobody');
    await http.refused('invalid-query', 'GET', '/cfgdb/blame?family=measurements');
    await client.configuration.discard();
  });
});

test('at a terminal, revisions and what is discarded are readable', { skip: noTerminal }, async () => {
  await client.configuration.put('measurements', 'level', { ...levelObject, eu: 'ft' });
  await client.configuration.render({ comment: 'for the sailors' });
  const { id } = await newest();
  const on = (...args: string[]) => runOnTerminal([...args, '--no-color'], server).stdout.replaceAll('\r', '');
  assert.match(on('config', 'revisions'), new RegExp(`^${id} .* running +for the sailors$`, 'm'));
  const one = on('config', 'revisions', String(id));
  assert.match(one, /^Rendered +\d{4}-.* by local$/m);
  assert.match(one, /^Comment +for the sailors$/m);
  assert.match(one, /^~ measurements\/level .* by local\n {4}eu: "in" → "ft"$/m);
  const blame = on('config', 'blame', 'measurements', 'level');
  assert.match(blame, new RegExp(`^eu +ft +local +\\d{4}-.* ${id} +for the sailors$`, 'm'));
  assert.match(blame, /^datatype +d +local .* 1 +the plant$/m);
  await client.configuration.rename('measurements', 'level', 'basin');
  assert.match(on('config', 'blame', 'measurements', 'basin'), /^name +basin +local .* not rendered yet$/m);
  const gone = on('config', 'discard', 'measurements', 'basin');
  assert.match(gone, /^\+ measurements\/basin, renamed from level/m);
  assert.match(gone, /^3 edits discarded\.$/m);
  assert.match(on('config', 'diff'), /up to date/);
});
