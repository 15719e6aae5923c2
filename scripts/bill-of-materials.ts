// The bill of materials (CycloneDX 1.6) of what is shipped: the packages and stacks of the repository, what they depend on, and
// Node, as package-lock.json has them. Not by `npm sbom`: with --omit dev it leaves out what development needs as well.

/** A package in package-lock.json, as far as it matters here. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  /** Of a link: the folder in the repository. */
  readonly link?: true;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** By folder; the empty one is the repository. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

type License = { readonly license: { readonly id: string } } | { readonly expression: string };

export interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope?: 'required' | 'optional';
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly License[];
  readonly purl: string;
}

export interface BillOfMaterials {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Folders of the repository that are shipped. */
const shipped = /^(?:packages|stacks)\/[^/]+$/;

/** Of packages that say it in their text alone. */
const licenseInText: Readonly<Record<string, string>> = { 'dequeue@1.0.5': 'BSD-2-Clause', 'precond@0.2.3': 'MIT' };

const algorithms: Readonly<Record<string, string>> = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };

/** Throws where a package is not in the lock file, or has no licence there. `serial` is a UUID. */
export function billOfMaterials(packages: LockedPackages, serial: string, now: Date): BillOfMaterials {
  const found = new Map<string, readonly string[]>();
  const roots = Object.keys(packages).filter((folder) => shipped.test(folder));
  const own = [...dependenciesOf(packages, '', roots)];
  const open = [...own];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (found.has(folder)) continue;
    const next = [...dependenciesOf(packages, folder)];
    found.set(folder, next);
    open.push(...next);
  }
  const isRequired = requiredOf(packages, roots);
  const components = new Map<string, Component>();
  const edges = new Map<string, Set<string>>();
  const refOf = (folder: string) => componentOf(packages, folder)['bom-ref'];
  for (const [folder, next] of [['', own] as const, ...found]) {
    const component = componentOf(packages, folder);
    const ref = component['bom-ref'];
    const known = components.get(ref);
    const scope = isRequired.has(folder) || known?.scope === 'required' ? 'required' : 'optional';
    components.set(ref, folder === '' ? component : { ...component, scope });
    edges.set(ref, new Set([...(edges.get(ref) ?? []), ...next.map(refOf)]));
  }
  const root = componentOf(packages, '');
  components.delete(root['bom-ref']);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: { timestamp: now.toISOString(), component: root },
    components: [...components.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies: [...edges].map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].sort() })),
  };
}

/** The folders of what the package in a folder depends on; `more` are folders besides. */
function* dependenciesOf(
  packages: LockedPackages,
  folder: string,
  more: readonly string[] = [],
  isOptional = true,
): Generator<string> {
  yield* more;
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = at(packages, folder);
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  for (const name of new Set([...Object.keys(dependencies), ...peers])) {
    if (name in optionalDependencies) continue;
    const place = placeOf(packages, folder, name);
    if (place === undefined) throw new Error(`${name}, which ${folder} depends on, is not in package-lock.json`);
    yield place;
  }
  if (!isOptional) return;
  for (const name of Object.keys(optionalDependencies)) {
    const place = placeOf(packages, folder, name);
    if (place !== undefined) yield place;
  }
}

/** Those without which it does not run; the others are for some platforms. */
function requiredOf(packages: LockedPackages, roots: readonly string[]): ReadonlySet<string> {
  const required = new Set<string>();
  const open = [...roots];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (required.has(folder)) continue;
    required.add(folder);
    open.push(...dependenciesOf(packages, folder, [], false));
  }
  return required;
}

/** As Node finds it: in the folder itself, then in those above it. */
function placeOf(packages: LockedPackages, folder: string, name: string): string | undefined {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/')))) {
    const place = `${above === '' ? '' : `${above}/`}node_modules/${name}`;
    const locked = packages[place];
    if (locked !== undefined) return locked.link ? locked.resolved : place;
    if (above === '') return undefined;
  }
}

function componentOf(packages: LockedPackages, folder: string): Component {
  const { name = folder.split('node_modules/').at(-1) ?? '', version = '', integrity, license } = at(packages, folder);
  const ref = `${name}@${version}`;
  const known = license ?? licenseInText[ref];
  if (known === undefined) throw new Error(`${ref} has no licence in package-lock.json: add it to licenseInText`);
  const [group, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: folder === '' ? 'application' : 'library',
    'bom-ref': ref,
    ...(group !== undefined && { group }),
    name: plain ?? name,
    version,
    ...(integrity !== undefined && { hashes: integrity.split(' ').map(hashOf) }),
    licenses: [/ (?:OR|AND|WITH) /.test(known) ? { expression: known } : { license: { id: known } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** Of the package's archive, as npm has downloaded it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  const alg = algorithms[algorithm];
  if (alg === undefined) throw new Error(`${integrity} is no hash that CycloneDX knows`);
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') };
}

function at(packages: LockedPackages, folder: string): LockedPackage {
  const locked = packages[folder];
  if (locked === undefined) throw new Error(`package-lock.json has no ${folder}`);
  return locked;
}
