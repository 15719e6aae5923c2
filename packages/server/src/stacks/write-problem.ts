// The problem returned for a write or an acknowledgement that was not accepted: above all, whether the device may have received it.
import { deviceMayHaveIt, nothingSent, ProblemError, type ProblemName } from '@telltale/schema';
import { type WriteResult, written } from '@telltale/stack-kit';
import type { WriteOutcome } from '@telltale/stack-kit/host';

const maybeWritten = `${deviceMayHaveIt} the value: look at it before you write again.`;
const maybeAcknowledged = `${deviceMayHaveIt} it: its state says so then.`;

/** Whether it was written, or acknowledged, is unknown. */
export class MaybeWritten extends ProblemError {
  constructor(problem: ProblemName, detail: string) {
    super(problem, `${detail} ${problem === 'acknowledge-timeout' ? maybeAcknowledged : maybeWritten}`);
  }
}

type Failure = Exclude<WriteOutcome, { kind: 'accepted' }>;

interface Problems {
  readonly refused: ProblemName;
  readonly changed: ProblemName;
  readonly timeout: ProblemName;
}

export function writeProblem(connector: string, outcome: Failure): ProblemError {
  return problemOf(connector, outcome, {
    refused: 'write-refused',
    changed: 'command-changed',
    timeout: 'write-timeout',
  });
}

export function acknowledgeProblem(connector: string, outcome: Failure): ProblemError {
  return problemOf(connector, outcome, {
    refused: 'acknowledge-refused',
    changed: 'unknown-object',
    timeout: 'acknowledge-timeout',
  });
}

function problemOf(connector: string, outcome: Failure, problems: Problems): ProblemError {
  const { kind, reason } = outcome;
  switch (kind) {
    case 'refused':
      return new ProblemError(problems.refused, `Connector ${connector} did not get it accepted: ${reason}.`);
    case 'notConnected':
      return new ProblemError('connector-down', `Connector ${connector} is not connected: ${reason}. ${nothingSent}`);
    case 'superseded':
      return new ProblemError(problems.changed, `Before connector ${connector} sent it, ${reason}. ${nothingSent}`);
    case 'timeout':
      if (outcome.sent) {
        return new MaybeWritten(problems.timeout, `Connector ${connector} has no clear answer: ${reason}.`);
      }
      return new ProblemError(
        problems.timeout,
        `Connector ${connector} had no time to send it: ${reason}. ${nothingSent}`,
      );
  }
}

const unsent: readonly ProblemName[] = ['connector-down', 'command-changed', 'write-timeout', 'acknowledge-timeout'];

/** How a write ended that failed with this, for a client of a provider. What the disk did not take, the device may have. */
export function resultOf(error: ProblemError): WriteResult {
  const { problem, message } = error;
  if (error instanceof MaybeWritten || problem === 'storage-failed') return written.unknown(message);
  if (problem === 'not-allowed') return written.denied(message);
  return unsent.includes(problem) ? written.notSent(message) : written.refused(message);
}
