// What went wrong, as the service says it, and what to do about it.
import { TelltaleProblem, Unreachable } from '../data/service.ts';
import { words } from '../words/words.ts';

export function ProblemText({ error }: { readonly error: unknown }) {
  const { common } = words.value;
  const detail = error instanceof Error ? error.message : String(error);
  return (
    <div class="problem" role="alert">
      <p>{detail}</p>
      {error instanceof TelltaleProblem && error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {error instanceof TelltaleProblem && error.remedy !== undefined && <p class="quiet">{error.remedy}</p>}
      {error instanceof Unreachable && error.mayHaveHappened && <p>{common.outcomeUnknown}</p>}
    </div>
  );
}
