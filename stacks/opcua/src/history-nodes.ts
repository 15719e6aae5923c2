// What the address space says of the history: which variables have one, how it is to be read, and which aggregates there are.
import { AccessLevelFlag, coerceNodeId, DataType, type NodeId, Variant } from 'node-opcua-client';
import type { AddressSpace, Namespace, Variable } from './address-space.ts';
import { servedAggregates } from './history-aggregates.ts';

/** The folder below HistoryServerCapabilities. */
const aggregateFunctions = 'i=11201';

interface Historized {
  historizing: boolean;
  accessLevel: number;
  userAccessLevel: number | undefined;
}

interface Configuration {
  readonly nodeId: NodeId;
  readonly stepped: Variable;
  readonly aggregateConfiguration: {
    readonly treatUncertainAsBad: Variable;
    readonly percentDataBad: Variable;
    readonly percentDataGood: Variable;
    readonly useSlopedExtrapolation: Variable;
  };
}

export class HistoryNodes {
  /** One for all: values are stepped, and what is uncertain counts. */
  readonly #configuration: NodeId | undefined;

  constructor(addressSpace: AddressSpace, namespace: Namespace) {
    const folder = addressSpace.findNode(aggregateFunctions);
    for (const number of servedAggregates.keys()) {
      const nodeId = coerceNodeId(number);
      if (addressSpace.findNode(nodeId) !== null) folder?.addReference({ referenceType: 'Organizes', nodeId });
    }
    this.#configuration = makeConfiguration(addressSpace, namespace);
  }

  /** The variable has a history, or has none. */
  mark(variable: Variable, isArchived: boolean): void {
    const node = variable as unknown as Historized;
    if (node.historizing === isArchived) return;
    const level = (before: number) =>
      isArchived ? before | AccessLevelFlag.HistoryRead : before & ~AccessLevelFlag.HistoryRead;
    node.historizing = isArchived;
    node.accessLevel = level(node.accessLevel);
    if (node.userAccessLevel !== undefined) node.userAccessLevel = level(node.userAccessLevel);
    if (this.#configuration === undefined) return;
    const reference = { referenceType: 'HasHistoricalConfiguration', nodeId: this.#configuration };
    if (isArchived) variable.addReference(reference);
    else variable.removeReference(reference);
  }
}

function makeConfiguration(addressSpace: AddressSpace, namespace: Namespace): NodeId | undefined {
  const type = addressSpace.findObjectType('HistoricalDataConfigurationType');
  if (type === null) return undefined;
  const made = type.instantiate({ browseName: { name: 'HA Configuration', namespaceIndex: 0 }, namespace } as never);
  const { nodeId, stepped, aggregateConfiguration } = made as unknown as Configuration;
  const boolean = (value: boolean) => new Variant({ dataType: DataType.Boolean, value });
  const percent = new Variant({ dataType: DataType.Byte, value: 100 });
  stepped.setValueFromSource(boolean(true));
  aggregateConfiguration.treatUncertainAsBad.setValueFromSource(boolean(false));
  aggregateConfiguration.percentDataBad.setValueFromSource(percent);
  aggregateConfiguration.percentDataGood.setValueFromSource(percent);
  aggregateConfiguration.useSlopedExtrapolation.setValueFromSource(boolean(false));
  return nodeId;
}
