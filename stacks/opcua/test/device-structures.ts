// What the device of the tests has of structures: a motor with a state in it, and an array of motors.
import { fileURLToPath } from 'node:url';
import { DataType, type StatusCode, StatusCodes, Variant, VariantArrayType } from 'node-opcua-client';
import { nodesets } from 'node-opcua-nodesets';
import type { OPCUAServer } from 'node-opcua-server';

type AddressSpace = NonNullable<OPCUAServer['engine']['addressSpace']>;
type UAObject = ReturnType<ReturnType<AddressSpace['getOwnNamespace']>['addFolder']>;

interface Writable {
  writeAttribute(
    context: unknown,
    write: { readonly indexRange?: { isEmpty(): boolean } },
    done: (error: Error | null, status?: StatusCode) => void,
  ): void;
}

/** What the server has to load for them. */
export const nodesetFiles = [nodesets.standard, fileURLToPath(new URL('device-types.xml', import.meta.url))];

export function addStructures(addressSpace: AddressSpace, plant: UAObject): void {
  const namespace = addressSpace.getOwnNamespace();
  const type = addressSpace.findDataType('MotorType', addressSpace.getNamespaceIndex('urn:telltale:test-types'));
  if (type === null) throw new Error('the node set is not loaded');
  const stateOf = (at: number) => ({ running: at % 2 === 1, total: [0, at], text: `state ${at}` });
  const motorOf = (at: number) =>
    addressSpace.constructExtensionObject(type, {
      speed: at + 0.5,
      state: stateOf(at),
      currents: [at, at + 1, at + 2],
      states: [stateOf(at + 10), stateOf(at + 11)],
    });
  const add = (name: string, valueRank: number, value: Variant) => {
    const node = { componentOf: plant, browseName: name, nodeId: `s=${name}`, dataType: type, valueRank };
    const variable = namespace.addVariable({ ...node, minimumSamplingInterval: 10 });
    variable.setValueFromSource(value);
    return variable;
  };
  const dataType = DataType.ExtensionObject;
  add('Motor', -1, new Variant({ dataType, value: motorOf(1) }));
  const motors = () => new Variant({ dataType, arrayType: VariantArrayType.Array, value: [motorOf(2), motorOf(3)] });
  add('Motors', 1, motors());
  // As servers do that know nothing of ranges of indexes in writes.
  const stubborn = add('Stubborn', 1, motors()) as unknown as Writable;
  const { writeAttribute } = stubborn;
  stubborn.writeAttribute = (context, write, done) => {
    if (write.indexRange?.isEmpty() ?? true) writeAttribute.call(stubborn, context, write, done);
    else done(null, StatusCodes.BadWriteNotSupported);
  };
}
