import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { build } from 'esbuild';
import { createSourceStack } from './source-stack.ts';

const source = `interface Words { readonly text: string }

/** Is left out of a build, as types are. */
export function first({ text }: Words): never {
  const prefix: string = 'no '; throw new Error(prefix + text);
}

export const second = (): never => first({ text: 'way' });
`;

describe('the stack of an error in a build', () => {
  const cleanup = suiteCleanup();
  let folder: string;
  let stack: string;
  before(async () => {
    folder = temporaryFolder(cleanup);
    writeFileSync(join(folder, 'thrower.ts'), source);
    const entryPoints = [join(folder, 'thrower.ts')];
    await build({ entryPoints, outdir: folder, outExtension: { '.js': '.mjs' }, format: 'esm', sourcemap: 'linked' });
    const { second } = (await import(pathToFileURL(join(folder, 'thrower.mjs')).href)) as { second: () => never };
    try {
      second();
    } catch (error) {
      stack = (error as Error).stack ?? '';
    }
  });

  const placesOf = (text: string) =>
    Array.from(text.matchAll(/thrower\.(m?[jt]s):(\d+):(\d+)/g), ([, kind, line, column]) => [
      kind,
      Number(line),
      Number(column),
    ]);

  test('names lines and columns of the sources', () => {
    assert.deepEqual(
      placesOf(stack).map(([kind]) => kind),
      ['mjs', 'mjs'],
    );
    const at = (text: string) => {
      const before = source.slice(0, source.indexOf(text)).split('\n');
      return ['ts', before.length, (before.at(-1)?.length ?? 0) + 1];
    };
    const reported = createSourceStack()(stack);
    assert.deepEqual(placesOf(reported), [at('new Error'), at('first({ text: ')]);
    assert.equal(reported.split('\n')[0], 'Error: no way');
  });

  test('stays as it is where there is no map, or one that is none', () => {
    const map = join(folder, 'thrower.mjs.map');
    const text = readFileSync(map, 'utf8');
    for (const broken of ['', '{', '{"sources":[],"mappings":7}', '{"sources":[],"mappings":"!!!!;;;"}']) {
      writeFileSync(map, broken);
      assert.doesNotThrow(() => createSourceStack()(stack), broken);
    }
    rmSync(map);
    assert.equal(createSourceStack()(stack), stack);
    writeFileSync(map, text);
  });

  test('is read once, however often it comes', () => {
    const sourceStack = createSourceStack();
    const reported = sourceStack(stack);
    writeFileSync(join(folder, 'thrower.mjs.map'), '');
    assert.equal(sourceStack(stack.replace('no way', 'no other way')), reported.replace('no way', 'no other way'));
  });
});
