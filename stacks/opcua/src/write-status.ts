// What the answer to a write, a call or an acknowledgement says of the device.
import { NotConnected, type WriteResult, written } from '@telltale/stack-kit';
import { type StatusCode, StatusCodes } from 'node-opcua-client';
import { ServiceFault, Unanswered } from './service-fault.ts';

/** The status that the server gives the write; or how it ended where there is none. */
export type WriteStatus = StatusCode | WriteResult;

/** Undefined: the answer has no status. Throws what says nothing of the write. */
export async function statusOf(answer: Promise<StatusCode | undefined>): Promise<WriteStatus> {
  try {
    return (await answer) ?? written.unknown('the server answers without a status');
  } catch (error) {
    if (error instanceof ServiceFault) return error.status;
    if (error instanceof NotConnected) return written.notSent(error.message);
    if (error instanceof Unanswered) return written.unknown(error.message);
    throw error;
  }
}

/**
 * The server has checked the write and has not carried it out. Any other bad status leaves it open: a server that is a
 * gateway gives BadTimeout, BadDeviceFailure or BadCommunicationError of a device that may have taken the value, and many
 * give whatever they have.
 */
const refusals: ReadonlySet<number> = new Set(
  [
    StatusCodes.BadNodeIdInvalid,
    StatusCodes.BadNodeIdUnknown,
    StatusCodes.BadAttributeIdInvalid,
    StatusCodes.BadIndexRangeInvalid,
    StatusCodes.BadIndexRangeNoData,
    StatusCodes.BadIndexRangeDataMismatch,
    StatusCodes.BadDataEncodingInvalid,
    StatusCodes.BadDataEncodingUnsupported,
    StatusCodes.BadNotWritable,
    StatusCodes.BadWriteNotSupported,
    StatusCodes.BadTypeMismatch,
    StatusCodes.BadOutOfRange,
    StatusCodes.BadUserAccessDenied,
    StatusCodes.BadNotSupported,
    StatusCodes.BadNotImplemented,
    StatusCodes.BadLocked,
    StatusCodes.BadRequestNotAllowed,
    StatusCodes.BadInvalidArgument,
    StatusCodes.BadInvalidState,
    StatusCodes.BadConfigurationError,
    StatusCodes.BadServiceUnsupported,
    StatusCodes.BadNothingToDo,
    StatusCodes.BadTooManyOperations,
    StatusCodes.BadRequestTooLarge,
    StatusCodes.BadDecodingError,
    StatusCodes.BadSecurityModeInsufficient,
    StatusCodes.BadMethodInvalid,
    StatusCodes.BadNotExecutable,
    StatusCodes.BadArgumentsMissing,
    StatusCodes.BadTooManyArguments,
    StatusCodes.BadEventIdUnknown,
    StatusCodes.BadConditionBranchAlreadyAcked,
    StatusCodes.BadConditionDisabled,
  ].map(({ value }) => value),
);

export function isStatus(status: WriteStatus): status is StatusCode {
  return 'value' in status;
}

export function resultOf(status: WriteStatus): WriteResult {
  if (!isStatus(status)) return status;
  const reason = `${status.name}: ${status.description.replace(/\.$/, '')}`;
  // It was written to something on the way to the device, and whether it came there the server does not know.
  if (status.equals(StatusCodes.GoodCompletesAsynchronously)) return written.unknown(reason);
  // By its severity: the library calls a status good only where it is nothing but Good.
  if (status.value >>> 30 === 0) return written.accepted;
  return refusals.has(status.value) ? written.refused(reason) : written.unknown(reason);
}
