// Grants: a role each, for all of the plant, an area and what is below it, or names that begin alike; at a centre, of all sites or one.
import type { Signal } from '@preact/signals';
import type { Grant } from '@telltale/schema';
import type { Permission } from '@telltale/schema/values';
import { access } from '../../data/access.ts';
import { siteNames } from '../../data/sites.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

const places = ['all', 'area', 'prefix'] as const;
type Place = (typeof places)[number];

const placeOf = ({ area, prefix }: Grant): Place =>
  area !== undefined ? 'area' : prefix !== undefined ? 'prefix' : 'all';

/** `operator for works.dosing`; of a site of a centre, with its name. */
function grantText({ site, ...grant }: Grant): string {
  return site === undefined ? placeText(grant) : `${placeText(grant)} · ${siteNames.value.get(site) ?? site}`;
}

function placeText({ role, area, prefix }: Grant): string {
  const { access: texts } = words.value;
  if (area !== undefined) return texts.grantArea(role, area);
  return prefix === undefined ? texts.grantAll(role) : texts.grantPrefix(role, prefix);
}

export function GrantList({ grants }: { readonly grants: readonly Grant[] }) {
  if (grants.length === 0) return <span class="quiet">{words.value.access.noGrants}</span>;
  return (
    <ul class="access-grants">
      {grants.map((grant) => (
        <li key={JSON.stringify(grant)} title={grant.site}>
          <bdi>{grantText(grant)}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function PermissionList({ permissions }: { readonly permissions: readonly Permission[] }) {
  return (
    <ul class="access-grants">
      {permissions.map((each) => (
        <li key={each}>{words.value.access.permissions[each]}</li>
      ))}
    </ul>
  );
}

const builtIn = ['viewer', 'operator', 'shift-lead', 'engineer', 'administrator'];

export function GrantsField({ grants }: { readonly grants: Signal<readonly Grant[]> }) {
  const { access: texts, common } = words.value;
  const { value: roles } = useRead((signal) => access.roles.list({ signal }).then(Object.keys), []);
  const names = [...new Set([...(roles ?? builtIn), ...grants.value.map(({ role }) => role)])];
  const known = siteNames.value;
  const sites = [...new Set([...known.keys(), ...grants.value.flatMap(({ site }) => site ?? [])])];
  const change = (at: number, role: string, where: Place, text: string, site: string | undefined) => {
    grants.value = grants.peek().with(at, {
      role,
      ...(where === 'area' && { area: text }),
      ...(where === 'prefix' && { prefix: text }),
      ...(site !== undefined && { site }),
    });
  };
  return (
    <fieldset>
      <legend>{texts.grants}</legend>
      {grants.value.map((grant, at) => {
        const { role, site } = grant;
        const where = placeOf(grant);
        const text = grant.area ?? grant.prefix ?? '';
        return (
          <div key={at} class="row access-grant">
            <select
              aria-label={texts.role}
              value={role}
              onChange={({ currentTarget }) => change(at, currentTarget.value, where, text, site)}
            >
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <select
              aria-label={texts.where}
              value={where}
              onChange={({ currentTarget }) => change(at, role, currentTarget.value as Place, text, site)}
            >
              {places.map((each) => (
                <option key={each} value={each}>
                  {texts.places[each]}
                </option>
              ))}
            </select>
            {where !== 'all' && (
              <input
                aria-label={texts.places[where]}
                required
                value={text}
                maxLength={256}
                spellcheck={false}
                onInput={({ currentTarget }) => change(at, role, where, currentTarget.value.trim(), site)}
              />
            )}
            {sites.length > 0 && (
              <select
                aria-label={words.value.shell.site}
                value={site ?? ''}
                onChange={({ currentTarget }) => change(at, role, where, text, currentTarget.value || undefined)}
              >
                <option value="">{texts.everySite}</option>
                {sites.map((id) => (
                  <option key={id} value={id}>
                    {known.get(id) ?? id}
                  </option>
                ))}
              </select>
            )}
            <button
              type="button"
              aria-label={texts.removeOf(common.remove, grantText(grant))}
              onClick={() => (grants.value = grants.peek().toSpliced(at, 1))}
            >
              ✕
            </button>
          </div>
        );
      })}
      <button type="button" onClick={() => (grants.value = [...grants.peek(), { role: names[0] ?? 'viewer' }])}>
        {texts.addGrant}
      </button>
    </fieldset>
  );
}
