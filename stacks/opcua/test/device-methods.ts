// What the device of the tests has of methods. What was called is kept, with the values that came.
import { DataType, type StatusCode, StatusCodes, VariantArrayType } from 'node-opcua-client';
import type { OPCUAServer } from 'node-opcua-server';

type AddressSpace = NonNullable<OPCUAServer['engine']['addressSpace']>;
type UAObject = ReturnType<ReturnType<AddressSpace['getOwnNamespace']>['addFolder']>;

/** Name and arguments of each call. */
export function addMethods(addressSpace: AddressSpace, plant: UAObject): unknown[][] {
  const calls: unknown[][] = [];
  const namespace = addressSpace.getOwnNamespace();
  const pump = namespace.addObject({ componentOf: plant, browseName: 'Pump', nodeId: 's=Pump' });
  const input = (name: string, dataType: DataType, valueRank = -1) => ({ name, dataType, valueRank });
  const add = (name: string, inputs: ReturnType<typeof input>[], statusCode: StatusCode = StatusCodes.Good) => {
    const method = namespace.addMethod(pump, {
      browseName: name,
      nodeId: `s=Pump.${name}`,
      inputArguments: inputs.map((each) => ({ ...each, description: { text: '' } })),
      outputArguments: [],
    });
    method.bindMethod((given, _context, callback) => {
      const values = given.map(({ arrayType, value }) =>
        arrayType === VariantArrayType.Scalar ? value : Array.from(value as ArrayLike<unknown>),
      );
      calls.push([name, ...values]);
      callback(null, { statusCode, outputArguments: [] });
    });
    return method;
  };
  add('Start', []);
  add('SetSpeed', [input('Speed', DataType.Int16)]);
  add('Blend', [input('Mode', DataType.String), input('Total', DataType.UInt64), input('Parts', DataType.Float, 1)]);
  add('Interlocked', [], StatusCodes.BadInvalidState);
  add('Lost', [], StatusCodes.BadTimeout);
  const shared = add('Shared', []);
  const other = namespace.addObject({ componentOf: plant, browseName: 'Pump2', nodeId: 's=Pump2' });
  other.addReference({ referenceType: 'HasComponent', nodeId: shared });
  return calls;
}
