// What became of something that a person has done to the plant: accepted, refused and why, not known, or waiting.
import { useMemo } from 'preact/hooks';
import { words } from '../words/words.ts';
import { presentUs } from './now.ts';
import { ProblemText } from './problem-text.tsx';
import { clockText } from './times.ts';
import type { Progress } from './use-action.ts';

export function OutcomeText({ progress }: { readonly progress: Progress }) {
  const { outcome: text } = words.value.point;
  const at = useMemo(presentUs, [progress]);
  if (progress === 'idle') return null;
  if (progress === 'underway') {
    return (
      <p class="outcome" role="status">
        {text.underway}
      </p>
    );
  }
  const { kind, error, approval } = progress;
  if (kind === 'done') {
    return (
      <p class="outcome outcome-done" role="status">
        {text.done(clockText(at))}
      </p>
    );
  }
  if (kind === 'waiting') {
    return (
      <div class="outcome" role="status">
        <p>
          <b>{text.waiting}</b> {approval !== undefined && text.waitingUntil(clockText(approval.ends * 1e6))}
        </p>
        <a href="/access?tab=approvals">{text.toApprovals}</a>
      </div>
    );
  }
  if (kind === 'unknown') {
    return (
      <div class="outcome outcome-unknown" role="alert">
        <p>
          <b>{text.unknown}</b>
        </p>
        <p>{text.look}</p>
        <p class="quiet">{error?.message}</p>
      </div>
    );
  }
  return (
    <div class="outcome">
      {kind === 'refused' && (
        <p>
          <b>{text.refused}</b>
        </p>
      )}
      <ProblemText error={error} />
    </div>
  );
}
