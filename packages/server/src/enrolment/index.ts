// Enrolment: how servers come to a bus with a code, and how they are taken out again.
export { BadCode, codeText, type EnrolmentCode, readCode } from './code.ts';
export { type BusFilePaths, enrol, NotEnrolled } from './enrol.ts';
export {
  authorizationFile,
  type Enrolled,
  Enrolment,
  type EnrolmentOptions,
  type EnrolmentRequest,
} from './enrolment.ts';
export { type Member, NotInvited } from './member-list.ts';
