// The properties of a served number that say what it means: EngineeringUnits, and EURange, with which it is an AnalogItemType.
import { DataType, type NodeId, Variant } from 'node-opcua-client';
import type { AddressSpace, Namespace, Variable } from './address-space.ts';
import { unitInformation } from './unit-codes.ts';

type Range = readonly [number, number];

/** In place: replaces what was there; undefined or empty removes it. */
export function putUnit(space: AddressSpace, namespace: Namespace, variable: Variable, eu = ''): void {
  const value = eu === '' ? undefined : { dataType: 'EUInformation', value: unitOf(eu) };
  putProperty(space, namespace, variable, 'EngineeringUnits', value);
}

function unitOf(eu: string): object {
  const { namespaceUri, unitId, displayName, description } = unitInformation(eu);
  return { namespaceUri, unitId, displayName: { text: displayName }, description: { text: description } };
}

export function putRange(
  space: AddressSpace,
  namespace: Namespace,
  variable: Variable,
  range: Range | undefined,
): void {
  const value = range && { dataType: 'Range', value: { low: range[0], high: range[1] } };
  putProperty(space, namespace, variable, 'EURange', value);
}

function putProperty(
  space: AddressSpace,
  namespace: Namespace,
  variable: Variable,
  name: string,
  given: { readonly dataType: string; readonly value: object } | undefined,
): void {
  const old = variable.getPropertyByName(name, 0);
  if (old !== null) space.deleteNode(old);
  const type = given && space.findDataType(given.dataType);
  if (given === undefined || type === null || type === undefined) return;
  namespace.addVariable({
    propertyOf: variable,
    browseName: { name, namespaceIndex: 0 },
    typeDefinition: 'PropertyType',
    dataType: given.dataType,
    accessLevel: 'CurrentRead',
    value: new Variant({
      dataType: DataType.ExtensionObject,
      value: space.constructExtensionObject(type, given.value as Record<string, unknown>),
    }),
  });
}

/** The enumerations of a namespace, one for each list of states, kept as long as the server. */
export class Enumerations {
  readonly #namespace: Namespace;
  readonly #byStates = new Map<string, NodeId>();

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  of(states: readonly string[]): NodeId {
    const key = JSON.stringify(states);
    const known = this.#byStates.get(key);
    if (known !== undefined) return known;
    const browseName = states.join('|').slice(0, 200);
    const { nodeId } = this.#namespace.addEnumerationType({ browseName, enumeration: [...states] });
    this.#byStates.set(key, nodeId);
    return nodeId;
  }
}
