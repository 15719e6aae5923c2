// The problem returned for a write that was not accepted: above all, whether the device may have received it.
import { ProblemError, type ProblemName } from '@telltale/schema';
import type { WriteOutcome } from '@telltale/stack-kit/host';

const maybeSent = 'The device may have taken the value: look at it before you write again.';
const notSent = 'Nothing was sent.';

/** Whether it was written is unknown. */
export class MaybeWritten extends ProblemError {
  constructor(problem: ProblemName, detail: string) {
    super(problem, `${detail} ${maybeSent}`);
  }
}

export function writeProblem(connector: string, outcome: Exclude<WriteOutcome, { kind: 'accepted' }>): ProblemError {
  const { kind, reason } = outcome;
  switch (kind) {
    case 'refused':
      return new ProblemError('write-refused', `Connector ${connector} did not get it accepted: ${reason}.`);
    case 'notConnected':
      return new ProblemError('connector-down', `Connector ${connector} is not connected: ${reason}. ${notSent}`);
    case 'superseded':
      return new ProblemError('command-changed', `Before connector ${connector} sent it, ${reason}. ${notSent}`);
    case 'timeout':
      if (outcome.sent)
        return new MaybeWritten('write-timeout', `Connector ${connector} has no clear answer: ${reason}.`);
      return new ProblemError('write-timeout', `Connector ${connector} had no time to send it: ${reason}. ${notSent}`);
  }
}

/** Whether this says for certain that nothing was done. What the disk did not take, the device may have. */
export function isSure(error: unknown): boolean {
  return error instanceof ProblemError && !(error instanceof MaybeWritten) && error.problem !== 'storage-failed';
}
