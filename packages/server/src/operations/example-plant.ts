// What the examples of the reference page are about: the first object of each kind in the running plant.
import type { Family } from '@telltale/schema';
import type { ConfigurationDatabase } from '../cfgdb/index.ts';
import type { FunctionModules } from '../modules/index.ts';
import type { LiveData } from './data/index.ts';
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
  readonly modules: Pick<FunctionModules, 'names'>;
  readonly cfgdb: ConfigurationDatabase;
  readonly certificates: Pick<ServedCertificates, 'list'>;
  readonly unavailable: () => unknown;
  /** Where the service listens. */
  readonly url: () => string;
}

export async function examplePlant(source: ExampleSource): Promise<ExamplePlant> {
  const { data, instances, modules, cfgdb } = source;
  const objects = new Map<string, ExampleObject>();
  if (source.unavailable() !== undefined) return { base: source.url(), objects };
  const add = async (family: Family, name: string | undefined, value?: string) => {
    if (name === undefined) return;
    // One that has been deleted since the last rendering has none.
    const configured = await cfgdb.call('get', family, name).then(parsed, () => undefined);
    objects.set(family, { name, ...(value && { value }), ...(configured !== undefined && { configured }) });
  };
  const [measurement] = data.measurements.all();
  let connector: string | undefined;
  if (measurement !== undefined) {
    const { name, vtq } = parsed(data.measurements.wire.object(measurement)) as { name: string; vtq: [string] };
    await add('measurements', name, vtq[0]);
    connector = data.measurements.definitionOf(measurement).connectorName;
  }
  const [command] = data.commands.all();
  if (command !== undefined) {
    const { name, vt } = parsed(data.commands.wire.object(command)) as { name: string; vt: [string] };
    await add('commands', name, vt[0]);
  }
  await add('alarms', data.alarms.names().next().value);
  await add('connectors', connector ?? instances.names('connector')[0]);
  await add('providers', instances.names('provider')[0]);
  await add('function-modules', modules.names()[Symbol.iterator]().next().value);
  const [certificate] = await source.certificates.list();
  if (certificate !== undefined) objects.set('certificates', { name: certificate.thumbprint });
  const [newest] = await cfgdb.call('revisions');
  return { base: source.url(), objects, ...(newest && { revision: newest.id }) };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}
