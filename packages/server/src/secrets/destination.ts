// Where the secrets of a connector or provider are sent, as its stack declares it.
import type { ParameterDescription } from '@telltale/stack-kit';
import type { Destination, Role, StoredSecret } from './seal.ts';

type Parameters = Readonly<Record<string, ParameterDescription>>;
type Texts = Readonly<Record<string, string>>;

/** Variables that are not set have their defaults. */
export function destinationOf(stackName: string, parameters: Parameters, vars: Texts): Destination {
  const variables = Object.entries(parameters).flatMap(([name, { destination, default: value = '' }]) =>
    destination ? [[name, Object.hasOwn(vars, name) ? (vars[name] as string) : String(value)] as const] : [],
  );
  return { stackName, ...Object.fromEntries(variables) };
}

/** Why a secret is not sent there; undefined where it was set for this destination, or is not bound yet. */
export function boundElsewhere({ bound, isOpen }: StoredSecret, role: Role, to: Destination): string | undefined {
  const known = bound[role];
  if (known === undefined) {
    return isOpen
      ? undefined
      : `it was set for the ${role === 'connector' ? 'provider' : 'connector'} of the same name`;
  }
  const names = [...new Set([...Object.keys(known), ...Object.keys(to)])];
  const changed = names.filter((name) => known[name] !== to[name]);
  if (changed.length === 0) return undefined;
  return `it was set for another destination (${changed.join(', ')} ${changed.length === 1 ? 'has' : 'have'} changed)`;
}
