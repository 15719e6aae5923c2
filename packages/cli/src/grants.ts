// Grants as people write and read them: a role, behind a slash the id of a site, and behind a colon an area or names that begin alike.
import { accountNamePattern, type Grant, isArea, siteIdPattern } from '@telltale/schema';
import { UsageError } from './declaration.ts';

export const grantForms =
  'A GRANT is ROLE for all of the plant, ROLE:AREA for an area and what is below it, or ROLE:PREFIX* for names that begin so; at a centre, ROLE/SITE instead of ROLE for one of its sites alone, by its id.';

const role = new RegExp(accountNamePattern);
const siteId = new RegExp(siteIdPattern);
const prefixForm = /^([_a-zA-Z0-9]{1,64})\*$/;

export function readGrants(texts: readonly string[]): Grant[] {
  return texts.map(readGrant);
}

function readGrant(text: string): Grant {
  const at = text.indexOf(':');
  const [holder, scope] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const [name = '', site, ...more] = holder.split('/');
  const prefix = scope === undefined ? undefined : prefixForm.exec(scope)?.[1];
  const isScope = scope === undefined || prefix !== undefined || (scope !== '' && isArea(scope));
  const isSite = more.length === 0 && (site === undefined || siteId.test(site));
  if (!role.test(name) || !isSite || !isScope)
    throw new UsageError(`${JSON.stringify(text.slice(0, 80))} is no grant. ${grantForms}`);
  const atSite = { role: name, ...(site !== undefined && { site }) };
  if (scope === undefined) return atSite;
  return prefix === undefined ? { ...atSite, area: scope } : { ...atSite, prefix };
}

export function grantsText(grants: readonly Grant[]): string {
  return grants.map(grantText).join(' ') || 'none';
}

function grantText({ role: name, area: path, prefix, site }: Grant): string {
  const holder = site ? `${name}/${site}` : name;
  if (path) return `${holder}:${path}`;
  return prefix ? `${holder}:${prefix}*` : holder;
}
