// Grants: a role each, for all of the plant, an area and what is below it, or names that begin alike.
import { useSignal } from '@preact/signals';
import type { Grant } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

const places = ['all', 'area', 'prefix'] as const;
type Place = (typeof places)[number];

const placeOf = ({ area, prefix }: Grant): Place =>
  area !== undefined ? 'area' : prefix !== undefined ? 'prefix' : 'all';

/** `operator for works.dosing` */
export function grantText(grant: Grant): string {
  const { access: texts } = words.value;
  const { role, area, prefix } = grant;
  if (area !== undefined) return texts.grantArea(role, area);
  return prefix === undefined ? texts.grantAll(role) : texts.grantPrefix(role, prefix);
}

export function GrantList({ grants }: { readonly grants: readonly Grant[] }) {
  if (grants.length === 0) return <span class="quiet">{words.value.access.noGrants}</span>;
  return (
    <ul class="access-grants">
      {grants.map((grant) => (
        <li key={grantText(grant)}>
          <bdi>{grantText(grant)}</bdi>
        </li>
      ))}
    </ul>
  );
}

interface GrantsFieldProps {
  readonly grants: readonly Grant[];
  readonly onGrants: (grants: readonly Grant[]) => void;
}

export function GrantsField({ grants, onGrants }: GrantsFieldProps) {
  const { access: texts, common } = words.value;
  const { value: roles } = useRead((signal) => access.roles.list({ signal }).then(Object.keys), []);
  const known = useSignal(['viewer', 'operator', 'shift-lead', 'engineer', 'administrator']);
  const names = [...new Set([...(roles ?? known.value), ...grants.map(({ role }) => role)])];
  const change = (at: number, grant: Grant) => onGrants(grants.map((each, index) => (index === at ? grant : each)));
  const place = (role: string, where: Place, text: string): Grant => ({
    role,
    ...(where === 'area' && { area: text }),
    ...(where === 'prefix' && { prefix: text }),
  });
  return (
    <fieldset>
      <legend>{texts.grants}</legend>
      {grants.map((grant, at) => {
        const where = placeOf(grant);
        const text = grant.area ?? grant.prefix ?? '';
        return (
          <div key={at} class="row access-grant">
            <select
              aria-label={texts.role}
              value={grant.role}
              onChange={({ currentTarget }) => change(at, place(currentTarget.value, where, text))}
            >
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <select
              aria-label={texts.where}
              value={where}
              onChange={({ currentTarget }) => change(at, place(grant.role, currentTarget.value as Place, text))}
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
                onInput={({ currentTarget }) => change(at, place(grant.role, where, currentTarget.value.trim()))}
              />
            )}
            <button
              type="button"
              aria-label={texts.removeOf(common.remove, grantText(grant))}
              onClick={() => onGrants(grants.filter((_, index) => index !== at))}
            >
              ✕
            </button>
          </div>
        );
      })}
      <button type="button" onClick={() => onGrants([...grants, { role: names[0] ?? 'viewer' }])}>
        {texts.addGrant}
      </button>
    </fieldset>
  );
}
