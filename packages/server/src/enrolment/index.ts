// Enrolment: how servers come to a bus with a code, and how they are taken out again.
export { BadCode, codeText, type EnrolmentCode, readCode } from './code.ts';
export { type EnrolledHere, enrol, NotEnrolled } from './enrol.ts';
export { type Enrolled, Enrolment, type EnrolmentOptions, usualValidMs } from './enrolment.ts';
export { type Invitation, type Member, NotInvited, TitleTaken } from './member-list.ts';
export { type OwnBusOptions, openOwnBus } from './own-bus.ts';
