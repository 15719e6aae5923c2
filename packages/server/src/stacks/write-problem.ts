// The problem returned for a write that was not accepted: above all, whether the device may have received it.
import { ProblemError, type ProblemName } from '@telltale/schema';
import { type WriteResult, written } from '@telltale/stack-kit';
import type { WriteOutcome } from '@telltale/stack-kit/host';

const maybeSent = 'The device may have taken the value: look at it before you write again.';
const notSent = 'Nothing was sent.';

/** Whether it was written, or acknowledged, is unknown. */
export class MaybeWritten extends ProblemError {
  constructor(problem: ProblemName, detail: string, advice = maybeSent) {
    super(problem, `${detail} ${advice}`);
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

const unsent: readonly ProblemName[] = ['connector-down', 'command-changed', 'write-timeout'];

/** How a write ended that failed with this, for a client of a provider. What the disk did not take, the device may have. */
export function resultOf(error: ProblemError): WriteResult {
  const { problem, message } = error;
  if (error instanceof MaybeWritten || problem === 'storage-failed') return written.unknown(message);
  return unsent.includes(problem) ? written.notSent(message) : written.refused(message);
}
