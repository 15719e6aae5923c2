// What the stacks that were found declare about themselves, by role and name.
import type { StackDescription } from '@telltale/stack-kit';
import type { Discovery } from './discover.ts';

export interface StackCatalogue {
  readonly connector: ReadonlyMap<string, StackDescription>;
  readonly provider: ReadonlyMap<string, StackDescription>;
}

export function catalogueOf(found: Discovery['stacks']): StackCatalogue {
  const described = (role: 'connector' | 'provider') =>
    new Map(found.flatMap(({ stack }) => (stack[role] === undefined ? [] : [[stack.name, stack[role].describe()]])));
  return { connector: described('connector'), provider: described('provider') };
}
