import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { discoverStacks } from './discover.ts';

const kit = import.meta.resolve('@telltale/stack-kit');
const source = (name: string) => `
  import { defineStack, Type } from ${JSON.stringify(kit)};
  const syntax: { regex: string; doc: string; examples: { address: string; meaning: string }[] } =
    { regex: '^x$', doc: 'x', examples: [{ address: 'x', meaning: 'x' }] };
  export default defineStack({
    name: '${name}', title: 'T', description: 'D.',
    connector: {
      variables: Type.Object({}), measurement: syntax, command: undefined, load: () => import('./connector.ts'),
    },
  });`;
const manifest = (stack: unknown) => JSON.stringify({ name: 'x', type: 'module', telltale: { stack } });

let folder = '';
beforeEach((t) => {
  folder = temporaryFolder(t);
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function putStack(where: string, name: string, path = './src/stack.ts'): void {
  put(`${where}/package.json`, manifest(path));
  put(`${where}/${path}`, source(name));
}

describe('discovery', () => {
  test('finds the stacks of this repository, without a fault', async () => {
    const { stacks, faults } = await discoverStacks(fileURLToPath(new URL('../../../../stacks', import.meta.url)));
    assert.deepEqual(faults, []);
    const simulator = stacks.find(({ stack }) => stack.name === 'simulator');
    assert.match(simulator?.moduleUrl ?? '', /^file:.*\/stacks\/simulator\/src\/stack\.ts$/);
  });

  test('finds stacks in the order of their folders, and passes over what is none', async () => {
    putStack('b', 'modbus');
    putStack('a', 'opcua', './stack.ts');
    put('c/package.json', '{"name": "c"}');
    put('d/README.md', 'no package here');
    put('e.txt', 'no folder');
    const { stacks, faults } = await discoverStacks(folder);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      stacks.map(({ stack }) => stack.name),
      ['opcua', 'modbus'],
    );
    assert.equal(stacks[0]?.stack.connector?.checkAddress('measurement', 'x', { datatype: 'd' }), undefined);
  });

  test('loads no code that runs a stack until that is asked for, and then from beside its declaration', async () => {
    putStack('a', 'modbus');
    const { stacks, faults } = await discoverStacks(folder);
    assert.deepEqual([stacks.length, faults], [1, []]);
    put('a/src/connector.ts', 'export const createConnector = () => "made";');
    const module = (await stacks[0]?.stack.connector?.load()) as unknown as { createConnector(): string };
    assert.equal(module.createConnector(), 'made');
  });

  test('follows a folder that is linked from elsewhere', async () => {
    putStack('elsewhere/modbus', 'modbus');
    mkdirSync(join(folder, 'stacks'));
    symlinkSync(join(folder, 'elsewhere/modbus'), join(folder, 'stacks/modbus'));
    const { stacks, faults } = await discoverStacks(join(folder, 'stacks'));
    assert.deepEqual([stacks.length, faults], [1, []]);
  });

  test('reports a folder that cannot be read, and lives', async () => {
    const { stacks, faults } = await discoverStacks(join(folder, 'absent'));
    assert.deepEqual(stacks, []);
    assert.match(faults[0]?.message ?? '', /cannot be read.*ENOENT/);
  });

  test('gives a name to the first folder that has it, and reports the later', async () => {
    putStack('a', 'modbus');
    putStack('b', 'modbus');
    const { stacks, faults } = await discoverStacks(folder);
    assert.match(stacks[0]?.moduleUrl ?? '', /\/a\/src\/stack\.ts$/);
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    assert.deepEqual(faults, [{ folder: b, message: `its stack modbus has the name of the one in ${a}` }]);
  });

  test('finds the stacks of several folders, an earlier one before a later one of the same name', async () => {
    putStack('ours/simulator', 'simulator');
    putStack('theirs/a', 'simulator');
    putStack('theirs/b', 'modbus');
    const { stacks, faults } = await discoverStacks(['ours', 'absent', 'theirs'].map((name) => join(folder, name)));
    assert.deepEqual(
      stacks.map(({ moduleUrl }) => moduleUrl.split('/').slice(-4, -2).join('/')),
      ['ours/simulator', 'theirs/b'],
    );
    assert.deepEqual(
      faults.map((fault) => fault.folder),
      ['absent', 'theirs/a'].map((name) => join(folder, name)),
    );
  });
});

describe('a broken stack is reported and the others are found:', () => {
  const broken: [string, () => void, RegExp][] = [
    ['a package.json that is no JSON', () => put('bad/package.json', '{'), /package\.json is not JSON/],
    [
      'a package.json that is a folder',
      () => mkdirSync(join(folder, 'bad/package.json'), { recursive: true }),
      /EISDIR/,
    ],
    ['a path that is no text', () => put('bad/package.json', manifest(7)), /without a path/],
    ['no path', () => put('bad/package.json', '{"telltale": null}'), /without a path/],
    ['a module that does not exist', () => put('bad/package.json', manifest('./no.ts')), /\.\/no\.ts does not exist/],
    ['a module that is its own folder', () => put('bad/package.json', manifest('./')), /leaves the folder/],
    ['a module that is a folder', () => module('', 'src/stack.ts'), /src is not a file/],
    ['a module that does not parse', () => module('export default ('), /.+/],
    ['a module that throws', () => module('throw new Error("no licence")'), /^no licence$/],
    ['a module that throws what is no error', () => module('throw Object.create(null)'), /./],
    ['a declaration that contradicts itself', () => module(source('a-b')), /a stack's name is/],
    ['a default export that is no stack', () => module('export default {name: "x", connector: {}}'), /use defineStack/],
    ['no default export', () => module('export const x = 1'), /use defineStack/],
    ['an import that is not installed', () => module('import "no-such-package"'), /no-such-package/],
    ['a module that never ends to load', () => module('await new Promise(() => {})'), /not loaded after 2000 ms/],
  ];
  const module = (text: string, file = 'stack.ts') => {
    put('bad/package.json', manifest(`./${file.replace('/stack.ts', '')}`));
    put(`bad/${file}`, text);
  };
  for (const [title, make, message] of broken) {
    test(title, async () => {
      make();
      putStack('good', 'modbus');
      const { stacks, faults } = await discoverStacks(folder, 2000);
      assert.deepEqual(
        stacks.map(({ stack }) => stack.name),
        ['modbus'],
      );
      assert.deepEqual(
        faults.map((fault) => basename(fault.folder)),
        ['bad'],
      );
      assert.match(faults[0]?.message ?? '', message);
    });
  }

  test('a path that leaves its folder, plainly, absolutely or by a link', async () => {
    put('outside.ts', source('outside'));
    put('stacks/plain/package.json', manifest('../../outside.ts'));
    put('stacks/plain-inside/package.json', manifest('./src/../../../outside.ts'));
    put('stacks/absolute/package.json', manifest(join(folder, 'outside.ts')));
    put('stacks/linked/package.json', manifest('./stack.ts'));
    symlinkSync(join(folder, 'outside.ts'), join(folder, 'stacks/linked/stack.ts'));
    put('stacks/neighbour/package.json', manifest('../neighbour2/stack.ts'));
    put('stacks/neighbour2/stack.ts', source('neighbour'));
    const { stacks, faults } = await discoverStacks(join(folder, 'stacks'));
    assert.deepEqual(stacks, []);
    assert.deepEqual(
      faults.map((fault) => basename(fault.folder)),
      ['absolute', 'linked', 'neighbour', 'plain', 'plain-inside'],
    );
    for (const fault of faults) assert.match(fault.message, /leaves the folder/, fault.folder);
  });
});
