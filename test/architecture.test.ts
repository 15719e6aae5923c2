// Promises of the architecture: who may import what, and that no module has state.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { before, describe, test } from 'node:test';
import { table, topFiles } from './import-table.ts';
import { root, sourceFiles } from './source-files.ts';

interface Import {
  readonly file: string;
  readonly target: string;
}

/** Static and type imports, and re-exports. */
const staticForms = [/^(?:import|export)\b[^'";]*?from\s+'([^']+)'/gms, /^import\s+'([^']+)'/gm];
/** Dynamic imports, and modules that a worker or child is started with. */
const dynamicForms = [/\bimport\(\s*'([^']+)'/g, /new URL\('(\.[^']*\.ts)'/g];

function importsOf(file: string, forms = [...staticForms, ...dynamicForms]): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  return forms.flatMap((form) => Array.from(source.matchAll(form), ([, target = '']) => ({ file, target })));
}

/** The groups of files that statically import each other in a circle, each sorted. */
function importCircles(files: readonly string[]): string[][] {
  const targets = new Map(
    files.map((file) => {
      const own = importsOf(file, staticForms).filter(({ target }) => target.startsWith('.'));
      return [file, own.map(({ target }) => normalize(join(dirname(file), target)))];
    }),
  );
  const reached = (from: string) => {
    const found = new Set<string>();
    const next = [...(targets.get(from) ?? [])];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      if (found.has(file)) continue;
      found.add(file);
      next.push(...(targets.get(file) ?? []));
    }
    return found;
  };
  const reachedFrom = new Map(files.map((file) => [file, reached(file)]));
  const circles = files
    .filter((file) => reachedFrom.get(file)?.has(file))
    .map((file) => files.filter((other) => reachedFrom.get(file)?.has(other) && reachedFrom.get(other)?.has(file)));
  return [...new Set(circles.map((circle) => circle.sort().join(' ')))].map((circle) => circle.split(' '));
}

/** Everything that is loaded with a file: other files of the sources, and the names of what comes from elsewhere. */
function loadedBy(file: string, loaded = new Set<string>()): string[] {
  if (loaded.has(file)) return [];
  loaded.add(file);
  const source = readFileSync(join(root, file), 'utf8');
  for (const [, target = ''] of source.matchAll(/^(?:import|export)\s+(?!type\b)[^'";]*?from\s+'([^']+)'/gms)) {
    if (target.startsWith('.')) loadedBy(normalize(join(dirname(file), target)), loaded);
    else if (target.startsWith('@telltale/schema/')) loadedBy(`packages/schema/src/${target.slice(17)}.ts`, loaded);
    else loaded.add(target);
  }
  return [...loaded];
}

/** The part that a file belongs to: a package, a stack, or a folder or top file of the server. */
function partOf(file: string): string {
  const [, name = '', , folder = ''] = file.split('/');
  if (file.startsWith('stacks/')) return 'stacks';
  if (name !== 'server') return name;
  return folder.endsWith('.ts') ? folder : `server/${folder}`;
}

/** The part that an import leads to, or undefined where it leads out of the sources. */
function targetPart({ file, target }: Import): string | undefined {
  if (target.endsWith('.json')) return undefined;
  if (target.startsWith('.')) return partOf(normalize(join(dirname(file), target)));
  const [scope, name = ''] = target.split('/');
  if (scope !== '@telltale') return undefined;
  return name.startsWith('stack-') && name !== 'stack-kit' ? 'stacks' : name;
}

describe('the architecture', () => {
  let imports: Import[];
  before(() => {
    imports = sourceFiles().flatMap((file) => importsOf(file));
  });

  test('the check sees the imports that there are', () => {
    const seen = imports.map((each) => `${partOf(each.file)} → ${targetPart(each)}`);
    for (const known of ['server/operations → server/cfgdb', 'stacks → stack-kit', 'main.ts → server.ts']) {
      assert.ok(seen.includes(known), known);
    }
  });

  test('every part imports only the parts that the table allows', () => {
    const wrong = imports.filter((each) => {
      const [part, target] = [partOf(each.file), targetPart(each)];
      if (target === undefined || target === part) return false;
      return !(table[part] ?? topFiles[part] ?? []).includes(target);
    });
    assert.deepEqual(wrong, []);
  });

  test('every folder of the sources is in the table', () => {
    const parts = new Set(sourceFiles().map(partOf));
    assert.deepEqual(
      [...parts].filter((part) => table[part] === undefined && topFiles[part] === undefined),
      [],
    );
  });

  test('nobody imports anything of a stack, but for what the demo plant is made of', () => {
    const allowed: Record<string, string> = {
      'stacks/waterworks': '@telltale/stack-simulator/',
      'packages/server': '@telltale/stack-waterworks/demo',
    };
    const wrong = imports.filter(({ file, target }) => {
      const own = file.split('/').slice(0, 2).join('/');
      if (target.startsWith('.')) {
        return own.startsWith('stacks/') && !normalize(join(dirname(file), target)).startsWith(`${own}/`);
      }
      return /^@telltale\/stack-(?!kit)/.test(target) && !target.startsWith(allowed[own] ?? own);
    });
    assert.deepEqual(wrong, []);
  });

  test('in the page, its data alone knows the client, and of the schemas it has what needs none', () => {
    const ofPage = imports.filter(({ file }) => file.startsWith('packages/web/src/'));
    assert.ok(ofPage.length > 50);
    const wrong = ofPage.filter(
      ({ file, target }) => target.startsWith('@telltale/client') && !file.startsWith('packages/web/src/data/'),
    );
    const source = (file: string) => readFileSync(join(root, file), 'utf8');
    const valued = ofPage.filter(({ file }) => /^import (?!type\b)[^;]*from '@telltale\/schema';/m.test(source(file)));
    assert.deepEqual([...wrong, ...valued], []);
  });

  test('a stack knows the contract alone, not what runs it or tests it', () => {
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('stacks/') && target.startsWith('@telltale/stack-kit/'),
    );
    assert.deepEqual(wrong, []);
  });

  test('a folder is entered through its index.ts', () => {
    const wrong = imports.filter((each) => {
      const target = targetPart(each);
      return target !== partOf(each.file) && target?.startsWith('server/') && !each.target.endsWith('/index.ts');
    });
    assert.deepEqual(wrong, []);
  });

  test('a package imports from npm only what its own package.json names', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (target.startsWith('.') || target.startsWith('node:')) return false;
      const manifest = JSON.parse(readFileSync(join(root, ...file.split('/').slice(0, 2), 'package.json'), 'utf8'));
      const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/');
      return !Object.hasOwn(manifest.dependencies ?? {}, name);
    });
    assert.deepEqual(wrong, []);
  });

  test('threads that check nothing load no schemas, which take more memory than all else in them', () => {
    const threads = [
      'archive/archive-thread.ts',
      'archive/reader-thread.ts',
      'archive/compaction-thread.ts',
      'modules/keeper/keeper-process.ts',
      'entries/entry-thread.ts',
    ];
    for (const thread of threads) {
      const loaded = loadedBy(`packages/server/src/${thread}`);
      assert.ok(loaded.length > 3, thread);
      assert.deepEqual(
        loaded.filter((target) => /^(?:typebox|@telltale\/schema)$/.test(target)),
        [],
        thread,
      );
    }
  });

  test('the main thread has no parser of imports, which would hold up live values', () => {
    const loaded = loadedBy('packages/server/src/server.ts');
    const parsers = ['backfill', 'csv-records', 'serve-import'].map(
      (name) => `packages/server/src/operations/archive/${name}.ts`,
    );
    assert.ok(loaded.includes('packages/server/src/operations/archive/imports.ts'));
    assert.deepEqual(
      parsers.filter((file) => loaded.includes(file)),
      [],
    );
    assert.ok(
      parsers.every((file) => loadedBy('packages/server/src/operations/archive/import-thread.ts').includes(file)),
    );
  });

  test('no files import each other in a circle, type imports included', () => {
    const files = globSync('{packages,stacks,scripts,bench,test,examples}/**/*.{js,ts,tsx}', {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    });
    assert.ok(files.length > 1000);
    assert.deepEqual(importCircles(files), []);
  });

  test('no module holds mutable state', () => {
    const wrong = sourceFiles().filter((file) =>
      /^(?:export )?(?:let|var) /m.test(readFileSync(join(root, file), 'utf8')),
    );
    assert.deepEqual(wrong, []);
  });
});
