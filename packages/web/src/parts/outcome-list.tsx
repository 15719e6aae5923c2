// What was not done of an action on several names, and why: refused ones apart from those of which nobody knows.
import type { Outcome } from '../data/point-actions.ts';
import { words } from '../words/words.ts';

/** More than anybody reads. */
const most = 20;

export function OutcomeList({ failures }: { readonly failures: readonly Outcome[] }) {
  const { common, forced } = words.value;
  if (failures.length === 0) return null;
  const isDoubtful = failures.some(({ kind }) => kind === 'unknown');
  return (
    <div class="problem" role="alert">
      <p>{forced.failed(failures.length)}</p>
      <ul>
        {failures.slice(0, most).map(({ name, error }) => (
          <li key={name}>
            <code>{name}</code> {error?.message}
          </li>
        ))}
      </ul>
      {failures.length > most && <p>{forced.andMore(failures.length - most)}</p>}
      {isDoubtful && <p>{common.outcomeUnknown}</p>}
    </div>
  );
}
