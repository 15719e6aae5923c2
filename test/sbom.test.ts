// Promises of the bill of materials: it is CycloneDX, and has everything that is shipped and nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type BillOfMaterials, billOfMaterials, type LockedPackages } from '../scripts/bill-of-materials.ts';
import { root } from './source-files.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = <T>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const { packages } = read<{ packages: LockedPackages & Record<string, { dev?: true }> }>('package-lock.json');
const serial = '3e671687-395b-41f5-a30f-a58921a69b79';
const bill = () => billOfMaterials(packages, serial, new Date('2026-01-01T00:00:00Z'));
const nameOf = ({ group, name }: BillOfMaterials['components'][number]) => (group ? `${group}/${name}` : name);

describe('the bill of materials', () => {
  test('npm run sbom writes it to a file', (t) => {
    const path = join(temporaryFolder(t), 'sbom.json');
    execFileSync(process.execPath, [join(root, 'scripts/sbom.ts'), path]);
    const written = JSON.parse(readFileSync(path, 'utf8')) as BillOfMaterials;
    assert.match(written.serialNumber, /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.ok(Date.parse(written.metadata.timestamp) > 0);
    assert.deepEqual(written.components, bill().components);
  });

  test('it has the fields of CycloneDX 1.6, each reference once, and no address of a registry', () => {
    const { bomFormat, specVersion, serialNumber, version, metadata, components, dependencies } = bill();
    assert.deepEqual([bomFormat, specVersion, version], ['CycloneDX', '1.6', 1]);
    assert.equal(serialNumber, `urn:uuid:${serial}`);
    assert.deepEqual([metadata.component.name, metadata.component.type], ['telltale', 'application']);
    const refs = [metadata.component, ...components].map((each) => each['bom-ref']);
    assert.equal(new Set(refs).size, refs.length);
    for (const component of components) {
      const isOurs = component.group === '@telltale';
      assert.equal(component['bom-ref'], `${nameOf(component)}@${component.version}`);
      assert.equal(component.purl, `pkg:npm/${nameOf(component).replace('@', '%40')}@${component.version}`);
      assert.equal(component.licenses.length, 1, component.purl);
      assert.equal(component.hashes === undefined, isOurs, component.purl);
      for (const { alg, content } of component.hashes ?? []) {
        assert.match(content, alg === 'SHA-512' ? /^[0-9a-f]{128}$/ : /^[0-9a-f]{40,64}$/);
      }
    }
    assert.deepEqual(dependencies.map(({ ref }) => ref).sort(), [...refs].sort());
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(refs.includes(ref), ref);
    assert.doesNotMatch(JSON.stringify(components), /https?:/);
  });

  test('what the packages and stacks depend on is in it, in the version that is locked, and Node for each platform', () => {
    const { components } = bill();
    const folders = globSync('{packages,stacks}/*/package.json', { cwd: root });
    assert.ok(folders.length > 10);
    for (const path of ['package.json', ...folders]) {
      const { name, dependencies = {}, optionalDependencies = {} } = read<Manifest>(path);
      if (path !== 'package.json') assert.ok(components.some((each) => nameOf(each) === name));
      for (const [wanted, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
        const isThere = components.some((each) => nameOf(each) === wanted && each.version === version);
        assert.ok(isThere, `${wanted} ${version}, of ${dirname(path)}`);
      }
    }
  });

  test('what a component depends on is a component, and nothing else is: neither development nor benchmarks', () => {
    const { metadata, components, dependencies } = bill();
    const names = new Set(components.map(nameOf));
    const refs = new Set(components.map((each) => each['bom-ref']));
    for (const [folder, { name = folder.split('node_modules/').at(-1) ?? '', ...locked }] of Object.entries(packages)) {
      if (!refs.has(`${name}@${locked.version}`)) continue;
      for (const wanted of Object.keys(locked.dependencies ?? {})) assert.ok(names.has(wanted), `${wanted} of ${name}`);
      assert.ok(!locked.dev, `${folder} is of development alone`);
    }
    const reached = new Set([metadata.component['bom-ref']]);
    for (const ref of reached) {
      for (const next of dependencies.find((each) => each.ref === ref)?.dependsOn ?? []) reached.add(next);
    }
    assert.deepEqual(
      [...refs].filter((ref) => !reached.has(ref)),
      [],
    );
    for (const absent of ['fastify', 'typescript', 'fast-check', 'bench']) assert.ok(!names.has(absent), absent);
  });

  test('of two versions of a package, each depends on the one that it finds', () => {
    const locked: LockedPackages = {
      '': { name: 'plant', version: '1.0.0', license: 'MIT', optionalDependencies: { extra: '1' } },
      'packages/a': { name: '@p/a', version: '1.0.0', license: 'MIT', dependencies: { b: '1', c: '1', '@p/d': '1' } },
      'node_modules/@p/a': { link: true, resolved: 'packages/a' },
      'node_modules/@p/d': { version: '4.0.0', license: 'MIT OR Apache-2.0', integrity: 'sha1-AAA= sha512-BBBB' },
      'node_modules/b': { version: '1.0.0', license: 'MIT', dependencies: { c: '2' } },
      'node_modules/b/node_modules/c': { version: '2.0.0', license: 'ISC' },
      'node_modules/c': { version: '1.0.0', license: 'ISC', optionalDependencies: { absent: '1', tiny: '1' } },
      'node_modules/extra': { version: '1.0.0', license: 'MIT' },
      'node_modules/tiny': { version: '1.0.0', license: 'MIT' },
      'node_modules/unused': { version: '1.0.0', license: 'MIT' },
    };
    const { components, dependencies } = billOfMaterials(locked, serial, new Date(0));
    assert.deepEqual(
      components.map((each) => `${each['bom-ref']} ${each.scope}`),
      [
        '@p/a@1.0.0 required',
        '@p/d@4.0.0 required',
        'b@1.0.0 required',
        'c@1.0.0 required',
        'c@2.0.0 required',
        'extra@1.0.0 optional',
        'tiny@1.0.0 optional',
      ],
    );
    assert.deepEqual(Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])), {
      'plant@1.0.0': ['@p/a@1.0.0', 'extra@1.0.0'],
      '@p/a@1.0.0': ['@p/d@4.0.0', 'b@1.0.0', 'c@1.0.0'],
      '@p/d@4.0.0': [],
      'b@1.0.0': ['c@2.0.0'],
      'c@1.0.0': ['tiny@1.0.0'],
      'c@2.0.0': [],
      'extra@1.0.0': [],
      'tiny@1.0.0': [],
    });
    assert.deepEqual(components[1]?.licenses, [{ expression: 'MIT OR Apache-2.0' }]);
    assert.deepEqual(
      components[1]?.hashes?.map(({ alg }) => alg),
      ['SHA-1', 'SHA-512'],
    );
    const { 'node_modules/b': _, ...without } = locked;
    assert.throws(() => billOfMaterials(without, serial, new Date(0)), /b, which packages\/a depends on, is not in/);
  });
});
