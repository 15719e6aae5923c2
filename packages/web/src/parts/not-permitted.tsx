// Stands for a view, or a part of one, that somebody may not see at all: with the permission that it wants.
import type { Permission } from '@telltale/schema';
import { identity } from '../data/session.ts';
import { words } from '../words/words.ts';

export function NotPermitted({ permission }: { readonly permission: Permission }) {
  const { common } = words.value;
  if (identity.value === undefined) return <p class="quiet">{common.loading}</p>;
  return <p class="panel">{common.mayNot(permission)}</p>;
}
