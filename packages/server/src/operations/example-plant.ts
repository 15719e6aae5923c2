// What the examples of the reference page are about: the first object of each kind that the reader may view.
import type { Family } from '@telltale/schema';
import type { Rights } from '../access/index.ts';
import type { ConfigurationDatabase } from '../cfgdb/index.ts';
import type { FunctionModules } from '../modules/index.ts';
import type { ShownFamilies } from '../pictures/index.ts';
import { areasOf } from './areas-of.ts';
import type { LiveData, LiveKindName } from './data/index.ts';
import type { StackAccess } from './diagnostics/index.ts';
import type { ServedCertificates } from './implementations/index.ts';

/** An object that examples are about. */
export interface ExampleObject {
  readonly name: string;
  /** Its value now, as written on the wire. */
  readonly value?: string;
  /** As it is configured. */
  readonly configured?: unknown;
}

/** What examples are about. */
export interface ExamplePlant {
  /** The address of the service. */
  readonly base: string;
  /** By the segment of the path, which is also the family; where the plant has none, a name is made up. */
  readonly objects: ReadonlyMap<string, ExampleObject>;
  /** The number of its newest revision. */
  readonly revision?: number;
}

export interface ExampleSource {
  readonly data: LiveData;
  readonly instances: StackAccess;
  readonly modules: Pick<FunctionModules, 'names' | 'areaOf'>;
  readonly shown: ShownFamilies;
  readonly cfgdb: ConfigurationDatabase;
  readonly certificates: Pick<ServedCertificates, 'list'>;
  readonly unavailable: () => unknown;
  /** Where the service listens. */
  readonly url: () => string;
}

export async function examplePlant(source: ExampleSource, rights: Rights): Promise<ExamplePlant> {
  const { data, instances, modules, shown, cfgdb } = source;
  const objects = new Map<string, ExampleObject>();
  if (source.unavailable() !== undefined) return { base: source.url(), objects };
  const view = data.viewOf(rights);
  const areaOf = areasOf(data, instances, modules, shown);
  const add = async (family: Family, name: string | undefined, value?: string) => {
    if (name === undefined) return;
    const mayRead = rights.on('read-config', name, areaOf(family, name));
    // One that has been deleted since the last rendering has none.
    const configured = mayRead ? await cfgdb.call('get', family, name).then(parsed, () => undefined) : undefined;
    objects.set(family, { name, ...(value && { value }), ...(configured !== undefined && { configured }) });
  };
  const first = (kind: LiveKindName): number | undefined => {
    if (view === undefined) return data[kind].all()[Symbol.iterator]().next().value;
    return view[kind].handles().find((handle) => handle >= 0);
  };
  const measurement = first('measurements');
  let connector: string | undefined;
  if (measurement !== undefined) {
    const { name, vtq } = parsed(data.measurements.wire.object(measurement)) as { name: string; vtq: [string] };
    await add('measurements', name, vtq[0]);
    connector = data.measurements.definitionAt(measurement)?.connectorName;
  }
  const command = first('commands');
  if (command !== undefined) {
    const { name, vt } = parsed(data.commands.wire.object(command)) as { name: string; vt: [string] };
    await add('commands', name, vt[0]);
  }
  const alarm = first('alarms');
  await add('alarms', alarm === undefined ? undefined : data.alarms.definitionAt(alarm)?.name);
  const connectors = instances.names('connector', rights);
  await add('connectors', connectors.find((name) => name === connector) ?? connectors[0]);
  await add('providers', instances.names('provider', rights)[0]);
  const isSeen = (name: string) => rights.on('view', name, modules.areaOf(name));
  await add('function-modules', Array.from(modules.names()).find(isSeen));
  for (const family of ['pictures', 'trends'] as const) {
    const [first] = shown[family].seen((name, area) => rights.on('view', name, area));
    await add(family, first?.name);
  }
  const mayConfigure = (name: string, area: string) => rights.on('read-config', name, area);
  const [certificate] = await source.certificates.list(undefined, mayConfigure);
  if (certificate !== undefined) objects.set('certificates', { name: certificate.thumbprint });
  const [newest] = rights.everywhere('read-config') ? await cfgdb.call('revisions') : [];
  return { base: source.url(), objects, ...(newest && { revision: newest.id }) };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
