import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Seal } from '../secrets/index.ts';
import { Configuration } from './configuration.ts';
import { ConfiguredSecrets, shownObjects } from './configured-secrets.ts';
import { copyObjects } from './copy-objects.ts';
import { Database } from './database.ts';
import { generate } from './generate.ts';
import { putTable } from './put-table.ts';
import { readRendering } from './rendering.ts';
import { reseal } from './reseal.ts';
import type { Json } from './seen-configuration.ts';
import type { RoleRules, StackRules } from './stack-rules.ts';
import { writeTable } from './write-table.ts';

const folder = temporaryFolder(suiteCleanup());
const keys = [Buffer.alloc(32, 1).toString('base64')];
const seal = new Seal(keys);
let files = 0;

const text = { title: 'Text', type: 'string' as const, required: false };
const parameters = {
  host: { ...text, destination: true as const },
  note: text,
  password: { ...text, secret: true as const },
  users: { ...text, entries: { key: { ...text, secret: true as const }, level: text } },
};
const rules: RoleRules = {
  describe: () => ({ description: { parameters } }),
  readVariables: ({ password = '' }) =>
    password.length < 8 && !password.startsWith('file:')
      ? { faults: [{ field: 'password', message: `${password} is too short` }] }
      : { faults: [] },
  checkAddress: () => undefined,
};
const stacks: StackRules[] = [{ name: 'acme', connector: rules, provider: rules }];
const canary = 'canary-in-the-mine';

function setUp({ path = join(folder, `${++files}.sqlite`), given = keys as readonly string[], open = true } = {}) {
  const secrets = new ConfiguredSecrets(given, stacks);
  const database = open ? reseal(path, new Database(path), secrets) : new Database(path);
  const rendered: Record<string, string>[] = [];
  const configuration = new Configuration({
    path,
    stacks,
    now: () => 1_700_000_000_000_000,
    database,
    secrets,
    propose: (bytes) => {
      for (const change of readRendering(bytes)) {
        const after = change?.after as { vars?: Record<string, string> } | undefined;
        if (after?.vars !== undefined) rendered.push(after.vars);
      }
      return undefined;
    },
  });
  const put = (vars: Record<string, string>, name = 'plc', stackName = 'acme') =>
    configuration.put('connectors', name, Buffer.from(JSON.stringify({ name, stackName, vars })), 'anna');
  const render = () => configuration.render({ force: false }, 'anna');
  const vars = (name = 'plc') =>
    (parse(configuration.get('connectors', name)) as { vars: Record<string, string> }).vars;
  return { path, configuration, put, render, vars, rendered, secrets };
}

const parse = (json: Uint8Array) => parseJson(Buffer.from(json).toString());
const read = (json: Json) => Buffer.from(json).toString();

function all<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** What runs: the passwords by connector. */
function storedIn(configuration: Configuration): Map<string, string | undefined> {
  const changes = [...readRendering(configuration.rendering())];
  return new Map(
    changes.flatMap((change) => {
      const object = change?.after as { name: string; vars?: Record<string, string> } | undefined;
      return object === undefined ? [] : [[object.name, object.vars?.password] as const];
    }),
  );
}

/** All that a file has, packed texts included. */
function contentOf(path: string): string {
  const texts = [readFileSync(path, 'latin1')];
  using sqlite = new DatabaseSync(path, { readOnly: true });
  for (const { changes, content } of sqlite.prepare('SELECT changes, content FROM renderings').all()) {
    for (const blob of [changes, content]) texts.push(zstdDecompressSync(blob as Uint8Array).toString());
  }
  for (const { made } of sqlite.prepare('SELECT made FROM typical_revisions').all()) {
    texts.push(zstdDecompressSync(made as Uint8Array).toString());
  }
  return texts.join('\n');
}

describe('a secret in a variable', () => {
  test('is stars in every read, and goes sealed to whoever runs it, bound to its destination', () => {
    const { configuration, put, render, vars, rendered } = setUp();
    put({ host: 'a', note: 'shown', password: canary });
    assert.deepEqual(vars(), { host: 'a', note: 'shown', password: '***' });
    render();
    put({ host: 'a', note: 'shown', password: `${canary}-2` });
    const answers = [
      read(configuration.list('connectors')),
      read(configuration.list('connectors', ['plc'])),
      read(configuration.diff()),
      read(configuration.revision(1, { configuration: true })),
      read(all(configuration.comparing('rendered', 'edited'))),
      JSON.stringify(all(configuration.blaming('connectors', 'plc'))),
      Buffer.from(
        all(
          writeTable('connectors', new Map(shownObjects('connectors', configuration.objects('connectors'))), {
            format: 'csv',
          }),
        ).join(''),
      ).toString(),
    ];
    for (const answer of answers) {
      assert.ok(answer.includes('***'), answer);
      assert.ok(!answer.includes('sealed:') && !answer.includes('canary'), answer);
    }
    const [first] = rendered;
    assert.deepEqual(seal.open(first?.password ?? ''), {
      of: 'connector/plc/password',
      text: canary,
      bound: { connector: { stackName: 'acme', host: 'a' } },
    });
    render();
    assert.equal(seal.open(rendered[1]?.password ?? '').text, `${canary}-2`, 'another secret is another rendering');
    configuration.restore(1, { render: true }, 'anna');
    assert.equal(rendered[2]?.password, first?.password, 'a revision has the secret of its time');
  });

  test('is kept where stars are written back, and changes nothing; nothing is known where there was none', () => {
    const { configuration, put, render, vars, rendered } = setUp();
    put({ host: 'a', password: canary });
    render();
    assert.ok(configuration.upToDate());
    put({ host: 'a', password: '***' });
    assert.ok(configuration.upToDate());
    put({ host: 'a', password: canary });
    assert.ok(configuration.upToDate(), 'the same secret is no change');
    put({ host: 'b', password: '***' });
    render();
    const bound = seal.open(rendered.at(-1)?.password ?? '').bound.connector;
    assert.deepEqual(bound, { stackName: 'acme', host: 'a' }, 'it stays bound to where it was set for');
    put({ password: '***' }, 'other');
    render();
    assert.equal(rendered.at(-1)?.password, '***');
    put({ password: 'file:plc' }, 'other');
    assert.deepEqual(vars('other'), { password: 'file:plc' });
    put({ password: '***' }, 'other');
    assert.deepEqual(vars('other'), { password: '***' });
    put({ password: canary }, 'foreign', 'unknown_stack');
    assert.deepEqual(vars('foreign'), { password: canary }, 'nobody says that it is one');
  });

  test('in a list of entries is one of its own; what is no list is a secret as a whole, and so are comments', () => {
    const { put, render, vars, rendered } = setUp();
    put({ password: canary, users: `# joe: key=${canary}\njoe: key="${canary} 1" level=high; ann: key=file:ann` });
    assert.equal(vars().users, 'joe: key="***" level="high"\nann: key="file:ann"');
    put({ password: '***', users: 'joe: key=*** level=low\nbob: key=***' });
    assert.equal(vars().users, 'joe: key="***" level="low"\nbob: key="***"');
    render();
    const [, stored = ''] = /joe: key="([^"]*)"/.exec(rendered[0]?.users ?? '') ?? [];
    assert.deepEqual([seal.open(stored).text, seal.open(stored).of], [`${canary} 1`, 'connector/plc/users/joe/key']);
    assert.match(rendered[0]?.users ?? '', /bob: key="\*\*\*"/);
    put({ users: `key=${canary}` });
    assert.equal(vars().users, '***');
    put({ users: 'joe: key=file:joe # as ever' });
    assert.equal(vars().users, '***', 'nor is this one');
    put({ users: '# people\njoe: key=file:joe' });
    assert.equal(vars().users, '# people\njoe: key=file:joe');
  });

  test('is checked by its stack as it is, and stars in what the stack finds', () => {
    const { put, render } = setUp();
    put({ password: 'tiny!' });
    assert.throws(render, (error: { errors?: { message: string }[] }) => {
      assert.deepEqual(
        error.errors?.map(({ message }) => message),
        ['*** is too short'],
      );
      return true;
    });
    put({ password: canary });
    render();
  });

  test('does not come along with a copy', () => {
    const { configuration, put, vars, render, rendered } = setUp();
    put({ host: 'a', password: canary });
    render();
    copyObjects(
      configuration,
      { family: 'connectors', name: 'plc', to: 'plc2' },
      { dryRun: false, render: true },
      'anna',
    );
    assert.equal(vars('plc2').password, '***');
    assert.equal(rendered.at(-1)?.password, '***');
  });

  test('comes through tables: stars keep it, what is written is sealed, and a dry run shows none of it', () => {
    const { configuration, put, vars, render, rendered } = setUp();
    put({ host: 'a', password: canary });
    render();
    const table = (lines: string, dryRun = false) => {
      const options = { dryRun, render: false, deleteMissing: false };
      return parse(all(putTable(configuration, 'connectors', Buffer.from(lines), options, 'anna'))) as Record<
        string,
        unknown
      >;
    };
    const heads = 'name,stackName,vars.host,vars.password';
    assert.equal(table(`${heads}\nplc,acme,a,***\n`).unchanged, 1);
    assert.equal(table(`${heads}\nplc,acme,a,${canary}\n`).unchanged, 1);
    const dry = table(`${heads}\nplc,acme,b,${canary}-2\n`, true);
    assert.deepEqual(dry.changes, [
      {
        name: 'plc',
        row: 2,
        change: 'changed',
        fields: [{ field: 'vars', before: { host: 'a', password: '***' }, after: { host: 'b', password: '***' } }],
      },
    ]);
    table(`${heads}\nplc,acme,b,${canary}-2\n`);
    assert.deepEqual(vars(), { host: 'b', password: '***' });
    render();
    assert.equal(seal.open(rendered.at(-1)?.password ?? '').text, `${canary}-2`);
  });

  test('that a type makes is sealed as well, and generating again changes nothing', () => {
    const { configuration, path } = setUp();
    const request = {
      type: {
        name: 'press',
        parameters: { nr: {} },
        objects: {
          connectors: { 'press_{nr}': { stackName: 'acme', vars: { host: '{nr}', password: `${canary}{nr}` } } },
        },
      },
      instances: [{ nr: '1' }],
    };
    const make = () => {
      const options = { dryRun: false, render: true, deleteMissing: false, overwrite: false };
      return parse(all(generate(configuration, Buffer.from(JSON.stringify(request)), options, 'anna'))) as Record<
        string,
        unknown
      >;
    };
    const made = make();
    assert.equal(made.added, 1);
    assert.ok(!JSON.stringify(made).includes('canary'));
    assert.equal(make().unchanged, 1);
    configuration.close();
    assert.ok(!contentOf(path).includes('canary'));
  });

  test('is in no file of the configuration, and in no download, which keeps it when it is uploaded again', () => {
    const { configuration, put, render, vars, rendered, path } = setUp();
    put({ host: 'a', password: canary });
    render();
    const copy = join(folder, `copy-${files}.sqlite`);
    all(configuration.copying(copy));
    using sqlite = new DatabaseSync(copy, { readOnly: true });
    assert.deepEqual(
      { ...sqlite.prepare('SELECT vars FROM connectors').get() },
      { vars: '{"host":"a","password":"***"}' },
    );
    assert.ok(!readFileSync(copy, 'latin1').includes('sealed:'));
    const upload = (objects: Record<string, Record<string, string>>) =>
      configuration.replace(
        {
          objects: Object.entries(objects).map(([name, vars]) => ({
            family: 'connectors' as const,
            name,
            text: JSON.stringify({ name, stackName: 'acme', vars }),
          })),
          made: [],
        },
        { render: true },
        'anna',
      );
    upload({
      plc: { host: 'a', password: '***' },
      other: { host: 'a', password: '***' },
      new: { password: `${canary}-3` },
    });
    assert.equal(rendered.filter(({ password }) => password === '***').length, 1, 'of another name it is not known');
    assert.equal(seal.open(storedIn(configuration).get('plc') ?? '').text, canary);
    assert.deepEqual(vars('new'), { password: '***' });
    put({ password: '***' }, 'new');
    assert.ok(configuration.upToDate(), 'also after another file has taken its place');
    configuration.close();
    assert.ok(!contentOf(path).includes('canary'));
  });
});

describe('secrets that a database has in the clear', () => {
  const clear = (path: string) => {
    const unchecked = new Configuration({
      path,
      stacks: [{ name: 'acme', connector: { ...rules, describe: () => ({ description: { parameters: {} } }) } }],
      now: () => 1,
    });
    const put = (vars: object) =>
      unchecked.put('connectors', 'plc', Buffer.from(JSON.stringify({ name: 'plc', stackName: 'acme', vars })), 'anna');
    put({ host: 'a', password: `${canary}-1` });
    unchecked.render({ force: false }, 'anna');
    put({ host: 'a', password: `${canary}-2` });
    unchecked.render({ force: false }, 'anna');
    put({ host: 'b', password: `${canary}-2` });
    unchecked.close();
    assert.ok(contentOf(path).includes(canary));
  };

  for (const given of [[], keys]) {
    test(`are sealed when it is opened with ${given.length} keys, revisions included, and all else stays`, () => {
      const path = join(folder, `${++files}.sqlite`);
      clear(path);
      const { configuration, vars, rendered } = setUp({ path, given });
      assert.deepEqual(vars(), { host: 'b', password: '***' });
      assert.equal(configuration.upToDate(), false);
      const { changes } = parse(configuration.diff()) as { changes: { fields: object[]; author: string }[] };
      assert.deepEqual(
        changes.map(({ fields, author }) => ({ fields, author })),
        [
          {
            fields: [{ field: 'vars', before: { host: 'a', password: '***' }, after: { host: 'b', password: '***' } }],
            author: 'anna',
          },
        ],
      );
      for (const id of [1, 2]) {
        const revision = read(configuration.revision(id, { configuration: true }));
        assert.ok(!revision.includes('canary') && revision.includes('"password":"***"'), revision);
      }
      configuration.restore(1, { render: true }, 'anna');
      assert.equal(new Seal(given).open(rendered.at(-1)?.password ?? '').text, `${canary}-1`);
      configuration.close();
      assert.ok(!contentOf(path).includes('canary'));
      const again = setUp({ path, given });
      assert.deepEqual(again.configuration.missing(), []);
      assert.deepEqual(again.vars(), { host: 'a', password: '***' });
      again.configuration.close();
    });
  }

  test('are sealed with a key when there is one, and with another when there is another', () => {
    const path = join(folder, `${++files}.sqlite`);
    const first = setUp({ path, given: [] });
    first.put({ host: 'a', password: canary });
    first.render();
    first.configuration.close();
    const newer = Buffer.alloc(32, 2).toString('base64');
    for (const given of [keys, [newer, ...keys], [newer]]) {
      const { configuration } = setUp({ path, given });
      assert.ok(configuration.upToDate());
      assert.equal(new Seal(given.slice(0, 1)).open(storedIn(configuration).get('plc') ?? '').text, canary);
      configuration.close();
    }
  });

  test('count as sealed with a key when all of them are: one that nothing opens yet is sealed when its key is there', () => {
    const path = join(folder, `${++files}.sqlite`);
    const first = setUp({ path });
    first.put({ host: 'a', password: canary });
    first.render();
    first.configuration.close();
    const newer = Buffer.alloc(32, 2).toString('base64');
    for (const given of [[newer], [newer, ...keys]]) setUp({ path, given }).configuration.close();
    const { configuration } = setUp({ path, given: [newer] });
    assert.equal(new Seal([newer]).open(storedIn(configuration).get('plc') ?? '').text, canary);
    assert.deepEqual(configuration.needs(), []);
    configuration.close();
    const without = setUp({ path, given: keys });
    assert.deepEqual(without.configuration.needs(), [
      { role: 'connector', name: 'plc', stack: undefined, isSealed: true, files: [] },
    ]);
    without.configuration.close();
  });
});
