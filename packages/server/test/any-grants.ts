// Grants of a small plant with two areas and two beginnings of names, and what they permit, told in the plainest way.
import type { Permission } from '@telltale/schema';
import fc from 'fast-check';
import type { Granted } from '../src/access/index.ts';

export const anyArea = fc.constantFrom(undefined, 'a', 'a.x', 'b', 'ab');

const permissions: readonly Permission[] = ['view', 'read-config', 'configure', 'render', 'install-code'];
const anyScope = fc.oneof(
  fc.constant({}),
  fc.constantFrom({ area: 'a' }, { area: 'a.x' }, { area: 'b' }),
  fc.constantFrom({ prefix: 'n' }, { prefix: 'm' }),
);

export const anyGrants: fc.Arbitrary<Granted[]> = fc.array(
  fc
    .tuple(fc.subarray([...permissions], { minLength: 1 }), anyScope)
    .map(([some, scope]) => ({ permissions: some, ...scope })),
  { maxLength: 3 },
);

export function isPermitted(granted: readonly Granted[], permission: Permission, name: string, area = ''): boolean {
  return granted.some(({ permissions: some, area: within, prefix = '' }) => {
    const isInArea = within === undefined || area === within || area.startsWith(`${within}.`);
    return some.includes(permission) && isInArea && name.startsWith(prefix);
  });
}
