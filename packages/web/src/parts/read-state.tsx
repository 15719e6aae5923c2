// Stands where something is read: that it is on its way, or why it did not come.
import { words } from '../words/words.ts';
import { ProblemText } from './problem-text.tsx';

export interface ReadStateProps {
  readonly value: unknown;
  readonly error: unknown;
  /** Where nothing reads it again by itself. */
  readonly again?: () => void;
}

export function ReadState({ value, error, again }: ReadStateProps) {
  const { common } = words.value;
  if (error === undefined) return value === undefined ? <p class="quiet">{common.loading}</p> : null;
  if (again === undefined) return <ProblemText error={error} />;
  return (
    <div class="row">
      <ProblemText error={error} />
      <button type="button" onClick={again}>
        {common.retry}
      </button>
    </div>
  );
}
