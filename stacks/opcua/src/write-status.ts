// What the status of a write says of the device. Pure.
import { type WriteResult, written } from '@telltale/stack-kit';
import { type StatusCode, StatusCodes } from 'node-opcua-client';

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
  ].map(({ value }) => value),
);

export function resultOf(status: StatusCode): WriteResult {
  const reason = `${status.name}: ${status.description}`;
  // It was written to something on the way to the device, and whether it came there the server does not know.
  if (status.equals(StatusCodes.GoodCompletesAsynchronously)) return written.unknown(reason);
  // By its severity: the library calls a status good only where it is nothing but Good.
  if (status.value >>> 30 === 0) return written.accepted;
  return refusals.has(status.value) ? written.refused(reason) : written.unknown(reason);
}
