// Grants as people write and read them: a role, for all of the plant or, behind a colon, an area or names that begin alike.
import { accountNamePattern, type Grant, isArea } from '@telltale/schema';
import { UsageError } from './declaration.ts';

export const grantForms =
  'A GRANT is ROLE for all of the plant, ROLE:AREA for an area and what is below it, or ROLE:PREFIX* for names that begin so.';

const role = new RegExp(accountNamePattern);
const prefixForm = /^([_a-zA-Z0-9]{1,64})\*$/;

export function readGrants(texts: readonly string[]): Grant[] {
  return texts.map(readGrant);
}

function readGrant(text: string): Grant {
  const at = text.indexOf(':');
  const [name, scope] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const prefix = scope === undefined ? undefined : prefixForm.exec(scope)?.[1];
  const isScope = scope === undefined || prefix !== undefined || (scope !== '' && isArea(scope));
  if (!role.test(name) || !isScope)
    throw new UsageError(`${JSON.stringify(text.slice(0, 80))} is no grant. ${grantForms}`);
  if (scope === undefined) return { role: name };
  return prefix === undefined ? { role: name, area: scope } : { role: name, prefix };
}

export function grantsText(grants: readonly Grant[]): string {
  return grants.map(grantText).join(' ') || 'none';
}

function grantText({ role: name, area: path, prefix }: Grant): string {
  if (path) return `${name}:${path}`;
  return prefix ? `${name}:${prefix}*` : name;
}
