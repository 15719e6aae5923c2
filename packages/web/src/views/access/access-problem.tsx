// A refusal; where somebody has to enter their password once more, with the way to it.
import { TelltaleProblem } from '../../data/service.ts';
import { goToSignIn } from '../../data/session.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { words } from '../../words/words.ts';

export function AccessProblem({ error }: { readonly error: unknown }) {
  const isOld = error instanceof TelltaleProblem && error.problem === 'sign-in-again';
  return (
    <>
      <ProblemText error={error} />
      {isOld && (
        <button type="button" onClick={goToSignIn}>
          {words.value.access.signInAgain}
        </button>
      )}
    </>
  );
}
