// Promises of the configuration to whoever asks, through its own thread: rights are those of the moment at which it is done.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { before, test } from 'node:test';
import { type Permission, ProblemError } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type Granted, GrantedRights, type Rights } from '../access/index.ts';
import { ConfigurationDatabase } from './configuration-database.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const cfgdb = new ConfigurationDatabase({
  folder,
  stackModules: [],
  prepare: async () => ({ takeOver: async () => undefined, drop: () => undefined }),
  onFailure: (error) => {
    throw error;
  },
});

class Anna {
  readonly author = 'anna';
  rights: Rights;

  constructor(...granted: Granted[]) {
    this.rights = new GrantedRights(granted);
  }

  readonly configuration = () => cfgdb.as(this);
}

const engineer: Permission[] = ['view', 'read-config', 'configure', 'render'];
const body = (object: object) => Buffer.from(JSON.stringify(object));
const module = (properties: object) => ({ termToKill: 1, queryTimeout: 0, properties });
const isRefused = (detail: string) => (error: unknown) =>
  error instanceof ProblemError && error.problem === 'not-allowed' && error.message === detail;
const names = async () => Buffer.from(await cfgdb.call('names', 'measurements')).toString();

before(async () => {
  await cfgdb.open();
  cleanup.defer(() => cfgdb.close(5000));
  for (const [name, area] of [
    ['dosing', 'works.dosing'],
    ['intake', 'works.intake'],
  ]) {
    await cfgdb.call('put', 'measurements', `${name}`, body({ name, datatype: 'd', area }), 'everybody');
    await cfgdb.call('put', 'function-modules', `${name}`, body({ name, ...module({ area }) }), 'everybody');
  }
});

test('a caller reads and changes what its grants permit, and is told the permission and the object', async () => {
  const anna = new Anna({ permissions: engineer, area: 'works.dosing' });
  assert.equal(Buffer.from(await anna.configuration().call('names', 'measurements')).toString(), '["dosing"]');
  const move = body({ name: 'dosing', datatype: 'd', area: 'works.intake' });
  await assert.rejects(
    anna.configuration().call('put', 'measurements', 'dosing', move, 'anna'),
    isRefused('anna needs the permission configure for measurements/dosing.'),
  );
  const rename = { family: 'measurements', from: 'dosing', to: 'dosing_2' } as const;
  await anna.configuration().call('rename', rename, { commit: false, render: false }, 'anna');
  const code = body({ name: 'dosing', ...module({ area: 'works.dosing', writes: 'dosing' }) });
  await assert.rejects(
    anna.configuration().call('put', 'function-modules', 'dosing', code, 'anna'),
    isRefused('anna needs the permission install-code for function-modules/dosing.'),
  );
});

test('a rendering by somebody who may not render all that was edited is refused, and names nothing unseen', async () => {
  const anna = new Anna({ permissions: engineer, area: 'works.dosing' });
  await assert.rejects(
    anna.configuration().call('render', { force: false }, 'anna'),
    isRefused('It would render something that anna does not see.'),
  );
  const operations = [{ operation: 'delete', family: 'measurements', name: 'dosing' }];
  await assert.rejects(
    anna.configuration().call('transaction', body({ operations }), { commit: true, render: true }, 'anna'),
    isRefused('It would render something that anna does not see.'),
  );
  assert.equal(await names(), '["dosing","intake"]');
  const editor = new Anna({ permissions: ['read-config', 'configure'] });
  await assert.rejects(
    editor.configuration().call('render', { force: true }, 'anna'),
    isRefused('anna needs the permission render.'),
  );
});

test('the whole database is downloaded by whoever reads all of it', async () => {
  const anna = new Anna({ permissions: engineer, area: 'works' }, { permissions: ['configure'] });
  await assert.rejects(
    anna.configuration().download(),
    isRefused('anna needs the permission read-config for all of the plant.'),
  );
  anna.rights = new GrantedRights([{ permissions: ['read-config'] }]);
  const { stream } = await anna.configuration().download();
  assert.ok((await buffer(stream)).length > 0);
});

test('rights that end while an upload arrives are not there when it is done', async () => {
  const anna = new Anna({ permissions: engineer });
  const { stream } = await anna.configuration().download();
  const path = join(folder, 'copy.sqlite');
  await pipeline(stream, createWriteStream(path));
  await cfgdb.call('delete', 'measurements', 'intake', 'everybody');
  const arriving = new PassThrough();
  const upload = anna.configuration().upload(arriving, { render: false });
  const file = createReadStream(path);
  file.pipe(arriving, { end: false });
  await once(file, 'end');
  anna.rights = new GrantedRights([{ permissions: ['read-config'] }, { permissions: engineer, area: 'works.dosing' }]);
  arriving.end();
  await assert.rejects(upload, isRefused('anna needs the permission configure for measurements/intake.'));
  assert.equal(await names(), '["dosing"]');
  anna.rights = new GrantedRights([{ permissions: engineer }]);
  await anna.configuration().upload(createReadStream(path), { render: false });
  assert.equal(await names(), '["dosing","intake"]');
});

test('the executable of a function module is for whoever may install code there, as it is configured and as it runs', async () => {
  const ask = (anna: Anna, permission: Permission) => anna.configuration().call('executableOf', 'dosing', permission);
  const code = { permissions: ['read-config', 'install-code'] as Permission[] };
  assert.equal(await ask(new Anna({ ...code, area: 'works.dosing' }), 'install-code'), undefined);
  await assert.rejects(
    ask(new Anna({ permissions: engineer }), 'install-code'),
    isRefused('anna needs the permission install-code for function-modules/dosing.'),
  );
  const isUnknown = (error: unknown) => error instanceof ProblemError && error.problem === 'unknown-object';
  await assert.rejects(ask(new Anna({ ...code, area: 'works.intake' }), 'install-code'), isUnknown);
  await cfgdb.call('render', { force: true }, 'everybody');
  const moved = body({ name: 'dosing', ...module({ area: 'works.intake' }) });
  await cfgdb.call('put', 'function-modules', 'dosing', moved, 'everybody');
  await assert.rejects(
    ask(new Anna({ ...code, area: 'works.intake' }), 'install-code'),
    isRefused('anna needs the permission install-code for function-modules/dosing.'),
  );
});
