// What a protocol stack says about the objects that use it; the composition hands the stacks in.
import type { Measurement } from '@telltale/schema';
import type { StackParameters } from '../secrets/index.ts';

export type AddressKind = 'measurement' | 'command' | 'alarm';

/** What an address may depend on; an alarm is `b`. */
export type CheckedPoint = Pick<Measurement, 'datatype' | 'rawDatatype' | 'properties'>;

export interface RoleRules {
  /** Without it, it has no secrets. */
  describe?(): { readonly description: { readonly parameters: StackParameters } };
  readVariables(vars: Record<string, string>): { faults: { field: string; message: string }[] };
  checkAddress(kind: AddressKind, address: string, point: CheckedPoint): string | undefined;
}

export interface StackRules {
  readonly name: string;
  readonly connector?: RoleRules | undefined;
  readonly provider?: RoleRules | undefined;
}
