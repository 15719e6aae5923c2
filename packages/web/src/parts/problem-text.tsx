// What went wrong, as the service says it, and what to do about it.
import { TelltaleProblem, Unreachable } from '../data/service.ts';
import { goToSignIn } from '../data/session.ts';
import { words } from '../words/words.ts';

export function ProblemText({ error }: { readonly error: unknown }) {
  const { access, common } = words.value;
  const detail = error instanceof Error ? error.message : String(error);
  const problem = error instanceof TelltaleProblem ? error : undefined;
  return (
    <div class="problem" role="alert">
      <p lang="en">{detail}</p>
      {problem !== undefined && problem.errors.length > 0 && (
        <ul lang="en">
          {problem.errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {problem?.remedy !== undefined && (
        <p class="quiet" lang="en">
          {problem.remedy}
        </p>
      )}
      {problem?.problem === 'sign-in-again' && (
        <button type="button" onClick={goToSignIn}>
          {access.signInAgain}
        </button>
      )}
      {error instanceof Unreachable && error.mayHaveHappened && <p>{common.outcomeUnknown}</p>}
    </div>
  );
}
