// What the service said against a configuration, each with a link to the object, or a jump to the cell, that it is about.
import type { Fault } from '@telltale/schema';
import { type Family, familyNames } from '@telltale/schema/values';
import { words } from '../../words/words.ts';

/** The service lists a hundred at most; this is for what another one may send. */
const most = 200;

export function FaultList({ faults }: { readonly faults: readonly Fault[] }) {
  const { config } = words.value;
  return (
    <ul class="fault-list">
      {faults.slice(0, most).map(({ path, message, family, name, field }) => (
        <li key={`${path} ${message}`}>
          {isFamily(family) && name !== undefined ? (
            <>
              <a href={`/config/${family}/${name}`}>
                {config.one[family]} {name}
              </a>{' '}
              <code>{placeIn(path, field)}</code>
            </>
          ) : (
            <code>{path}</code>
          )}{' '}
          {message}
        </li>
      ))}
    </ul>
  );
}

export function isFamily(word: string | undefined): word is Family {
  return (familyNames as readonly (string | undefined)[]).includes(word);
}

/** The field, or the key of a map, that a pointer ends with. */
function placeIn(path: string, field = ''): string {
  const parts = path.split('/').slice(3);
  return parts.length > 0 ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.') : field;
}
