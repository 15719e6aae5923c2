// Holds the shape of the code: who may import what, and that the documents speak of files that exist.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { datatypes } from '@telltale/schema';

const root = fileURLToPath(new URL('..', import.meta.url));

/** From a part to the parts that it may import. Parts of the server are its folders; `server.ts` knows them all. */
const table: Record<string, readonly string[]> = {
  launcher: [],
  schema: [],
  'stack-kit': ['schema'],
  stacks: ['stack-kit', 'schema'],
  client: ['schema'],
  cli: ['client', 'schema'],
  web: ['client', 'schema'],
  'server/points': ['schema'],
  'server/alarms': ['schema', 'server/points'],
  'server/threads': ['schema'],
  'server/archive': ['schema', 'server/points', 'server/threads'],
  'server/sqlite': ['schema'],
  'server/cfgdb': ['schema', 'server/sqlite', 'server/threads'],
  'server/state': ['schema', 'server/sqlite', 'server/points', 'server/alarms', 'server/modules', 'server/threads'],
  'server/access': ['schema'],
  'server/stacks': ['schema', 'server/points', 'server/threads', 'stack-kit'],
  'server/modules': ['schema', 'server/points', 'server/threads', 'stack-kit'],
  'server/runtime': [
    'schema',
    'stack-kit',
    'server/cfgdb',
    'server/points',
    'server/alarms',
    'server/archive',
    'server/stacks',
    'server/modules',
  ],
  'server/operations': [
    'schema',
    'stack-kit',
    'server/access',
    'server/alarms',
    'server/archive',
    'server/cfgdb',
    'server/modules',
    'server/points',
    'server/runtime',
    'server/stacks',
    'server/threads',
  ],
  'server/api': [
    'schema',
    'server/access',
    'server/archive',
    'server/modules',
    'server/operations',
    'server/points',
    'server/runtime',
  ],
};

/** The files of the server that stand in no folder, each with the parts that it may import. */
const topFiles: Record<string, readonly string[]> = {
  'main.ts': ['server.ts', 'start-failed.ts', 'settings.ts', 'source-stack.ts', 'log.ts'],
  'server.ts': [
    'schema',
    'data-folder.ts',
    'folder-watch.ts',
    'start-failed.ts',
    'service-condition.ts',
    'service-metrics.ts',
    'interfaces.ts',
    'settings.ts',
    'stacks',
    ...Object.keys(table).filter((part) => part.includes('/')),
  ],
  'interfaces.ts': [
    'schema',
    'settings.ts',
    'server/access',
    'server/api',
    'server/cfgdb',
    'server/modules',
    'server/operations',
  ],
  'settings.ts': ['schema'],
  'log.ts': ['source-stack.ts'],
  'source-stack.ts': [],
  'data-folder.ts': ['server/sqlite'],
  'start-failed.ts': ['data-folder.ts', 'server/archive', 'server/modules', 'server/sqlite'],
  'folder-watch.ts': ['schema'],
  'service-condition.ts': ['schema'],
  'service-metrics.ts': [
    'schema',
    'server/api',
    'server/archive',
    'server/cfgdb',
    'server/modules',
    'server/operations',
    'server/stacks',
    'server/state',
  ],
};

/** The files that read the system's clock themselves. All others are given one, so that tests move time by hand. */
const readsTheClock: Record<string, string> = {
  'packages/schema/src/clock.ts': 'makes the clock that the others are given',
};

/**
 * The files that subtract or compare times of day, and why a time of day that is set does no harm there. Whatever lasts a
 * while is counted by the monotonic clock.
 */
const comparesTimesOfDay: Record<string, string> = {
  'packages/schema/src/clock.ts': 'events of one millisecond get times that differ',
  'packages/schema/src/testing/manual-clock.ts': 'is the clock of tests',
  'packages/server/src/operations/archive/interval.ts': 'a request asks for times before the present one',
  'packages/server/src/archive/rules/clock-watch.ts': 'finds jumps: both clocks, held against each other',
  'packages/server/src/archive/store/steady-clock.ts': 'finds jumps, and a clock that is wrong from the start',
  'packages/server/src/archive/store/retention.ts': 'records are as old as their times say; steady-clock.ts guards it',
  'packages/server/src/archive/store/expiry.ts': 'records are as old as their times say; steady-clock.ts guards it',
  'packages/server/src/archive/store/archive-store.ts': 'whether the time of a record can be right',
  'packages/stack-kit/src/poll/source-times.ts': 'whether the time that a device tells can be right',
  'packages/stack-kit/src/testing/hosted-connector.ts': 'whether the time of a reading can be right',
};

/** The files that compare or list letters which datatypes have as well, and what the letters mean there. */
const comparesLetters: Record<string, string> = {
  'packages/schema/src/datatype.ts': 'the traits: all that tells datatypes apart',
  'packages/schema/src/duration.ts': 'units of time: s and d',
  'packages/server/src/api/page/docs-example.ts': 'the datatype of the object in an example',
  'stacks/http/src/connector-variables.ts': 'units of time',
  'stacks/mqtt/src/measurement-settings.ts': 'units of time',
  'stacks/opcua/src/node-address.ts': 'kinds of node ids: i, s, g and b',
  'stacks/opcua/src/node-item.ts': 'kinds of node ids',
};

interface Import {
  readonly file: string;
  readonly target: string;
}

function sourceFiles(): string[] {
  const patterns = ['packages/*/src/**/*.{js,ts}', 'stacks/*/src/**/*.ts'];
  return globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
}

/** The source files in which something of this form stands outside of comments, sorted. */
function filesWith(form: RegExp): string[] {
  const code = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return sourceFiles()
    .filter((file) => form.test(code(file)))
    .sort();
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
      'state/state-thread.ts',
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
    const files = globSync('{packages,stacks,scripts,bench,test,examples}/**/*.{js,ts}', {
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

  test('only the named files read the clock of the system', () => {
    const form = /\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(|\btimeOrigin\b|\bhrtime\b|\bprocess\.uptime\b/;
    assert.deepEqual(filesWith(form), Object.keys(readsTheClock).sort());
  });

  test('only the named files subtract or compare times of day', () => {
    const now = String.raw`(?:\b[cC]lock\.now\(\)|\bnowUs\b)`;
    const form = new RegExp(`${now} *(?:-|[<>])|(?:-|[<>]=?|[<>]) *(?:[\\w.#]*[cC]lock\\.now\\(\\)|nowUs\\b)`);
    assert.deepEqual(filesWith(form), Object.keys(comparesTimesOfDay).sort());
  });

  test('one file listens for aborts, so that whoever waits for one also stops listening', () => {
    assert.deepEqual(filesWith(/(?:EventListener\('|on\w*\('|\.on)abort\b/), ['packages/schema/src/abort.ts']);
  });

  test('only the traits of a datatype tell it from others: a new one is one record', () => {
    const letter = `'[${datatypes.join('')}]'`;
    const forms = [
      `[=!]==? ${letter}`,
      `${letter} [=!]==? `,
      `\\bcase ${letter}:`,
      `\\.(?:includes|startsWith|endsWith|indexOf|has)\\(${letter}`,
      `'[${datatypes.join('')}]+'\\.(?:includes|indexOf)\\(`,
      `\\[(?:'[a-z]+',|\\.{3}\\w+,|\\s)*${letter}`,
      `\\bRecord<(?:Exclude<)?Datatype\\b`,
      `\\b${datatypes[0]}: [^;]*\\b${datatypes[1]}: [^;]*\\b${datatypes[2]}: `,
    ];
    assert.deepEqual(filesWith(new RegExp(forms.join('|'))), Object.keys(comparesLetters).sort());
  });

  test('only main.ts reads the command line and the environment', () => {
    const children = ['packages/server/src/cfgdb/upload-reader.ts'];
    const wrong = sourceFiles().filter(
      (file) =>
        !file.endsWith('/main.ts') &&
        !children.includes(file) &&
        !file.startsWith('packages/launcher/src/') &&
        !file.startsWith('packages/stack-kit/src/testing/') &&
        /process\.(?:argv|env)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    assert.deepEqual(wrong, []);
  });

  test('every file opens with a line that says what it owns', () => {
    const wrong = sourceFiles().filter((file) => !/^(?:#!.*\n)?\/\/ \S/.test(readFileSync(join(root, file), 'utf8')));
    assert.deepEqual(wrong, []);
  });
});

describe('the tests', () => {
  const patterns = ['{packages,stacks}/*/{src,test}/**/*.ts', 'test/**/*.ts', 'scripts/**/*.ts'];
  const files = globSync(patterns, { cwd: root }).filter((file) => file !== 'test/architecture.test.ts');
  const whoSay = (what: RegExp) => files.filter((file) => what.test(readFileSync(join(root, file), 'utf8')));

  test('have temporary folders from one place, which removes them after what runs in them has ended', () => {
    assert.deepEqual(whoSay(/\btmpdir\b/), ['packages/stack-kit/src/testing/cleanup.ts']);
  });

  test('start the server in one place, which ends it whatever throws', () => {
    assert.deepEqual(whoSay(/server\/(?:src\/main\.ts|bin\/)/), ['test/server-process.ts']);
  });
});

describe('the documents', () => {
  const named = ['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/glossary.md'];
  for (const document of named) {
    test(`every path that ${document} names exists`, () => {
      const text = readFileSync(join(root, document), 'utf8');
      const quoted = Array.from(text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g), ([, path = '']) => path);
      const paths = quoted.filter((path) => /^(?:packages|stacks|docs|examples|test|bench|scripts|\.ci)\//.test(path));
      assert.ok(paths.length + linksOf(document).length > 0);
      assert.deepEqual(
        paths.filter((path) => !existsSync(join(root, path))),
        [],
      );
    });
  }

  test('every link leads to a file, and to a heading where it names one', () => {
    const patterns = ['*.md', '{docs,packages/*/src}/**/*.md', 'bench/*.md', '{packages,stacks}/*/*.md'];
    const documents = globSync(patterns, { cwd: root });
    assert.deepEqual(
      named.filter((document) => !documents.includes(document)),
      [],
    );
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter(({ path, heading }) => !existsSync(join(root, path)) || !hasHeading(path, heading))
        .map(({ path, heading }) => `${document}: ${path}#${heading}`),
    );
    assert.deepEqual(broken, []);
  });

  /** Links of a document to files of the repository, as paths from its root. */
  function linksOf(document: string): { path: string; heading: string }[] {
    const text = readFileSync(join(root, document), 'utf8').replace(/^```.*?^```$/gms, '');
    const links = text.matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g);
    return Array.from(links, ([, target = '', heading = '']) => ({
      path: target === '' ? document : normalize(join(dirname(document), target)),
      heading,
    }));
  }

  /** Whether the document has a heading of this anchor, as GitHub makes anchors; true where none is asked for. */
  function hasHeading(document: string, anchor: string): boolean {
    if (anchor === '') return true;
    const headings = readFileSync(join(root, document), 'utf8').matchAll(/^#+ (.*)$/gm);
    const anchors = Array.from(headings, ([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
    return anchors.includes(anchor);
  }
});
