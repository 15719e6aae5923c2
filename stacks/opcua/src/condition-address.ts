// The address of a condition: the node of the condition itself, or its source with the name of the condition behind a #. A #
// of a text itself is written twice, as in the address of a node.
import { type NodeAddress, parseAddress } from './node-address.ts';

export interface ConditionAddress {
  /** Of the condition, or of its source. */
  readonly node: NodeAddress;
  /** Undefined: the node is the condition itself. */
  readonly conditionName: string | undefined;
}

/** The reason for the person, or the address. */
export function parseConditionAddress(address: string): ConditionAddress | string {
  const [, node = '', name] = /^((?:[^#]|##)*)(?:#(.+))?$/su.exec(address) ?? [];
  const parsed = parseAddress(node);
  if (typeof parsed === 'string') {
    return 'a condition must have the form ns=2;s=Tank1.High, or ns=2;s=Tank1.Level#High with its source and its name';
  }
  if (parsed.index.length > 0) return 'a condition is a whole node, not an element of an array';
  return { node: parsed, conditionName: name?.replaceAll('##', '#') };
}
