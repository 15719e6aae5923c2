// Operations of a centre about its bus: who may connect to it, who is invited, and who is taken out.
import {
  BusCode,
  BusEnrolled,
  BusEnrolmentRequest,
  BusInvitationBody,
  BusMemberId,
  BusMembers,
  BusRevoked,
} from '../bus-members.ts';
import { jsonType } from '../media-types.ts';
import { changes, declare, json, ofJsonBodies, reads } from './operation.ts';

const bus = { tag: 'Sites', resource: 'bus' } as const;

const ofBodies = [...ofJsonBodies, 'invalid-body', 'storage-failed'] as const;

export const busMemberOperations = {
  listBusMembers: declare({
    ...reads(bus, 'manage-users'),
    summary: 'List who may connect to the bus of this centre, and who is invited',
    input: {},
    problems: ['no-admission'],
    http: { method: 'GET', path: '/bus/members', answer: json('Members and invitations.', BusMembers) },
  }),
  inviteToBus: declare({
    ...changes(bus, 'configure', 'manage-users'),
    summary: 'Make a code that brings one server to the bus, once and within its time',
    input: BusInvitationBody.properties,
    problems: [...ofBodies, 'no-admission', 'name-taken'],
    http: {
      method: 'POST',
      path: '/bus/invitations',
      body: { types: [jsonType], schema: BusInvitationBody, isInput: true, limit: 'max-json-size' },
      answer: json('The code, which is shown this once.', BusCode),
    },
  }),
  enrolAtBus: declare({
    ...changes(bus, 'configure', 'public'),
    summary: 'Become a member of the bus, with a code; as telltale site enrol does',
    input: BusEnrolmentRequest.properties,
    problems: [...ofBodies, 'no-admission', 'not-invited'],
    http: {
      method: 'POST',
      path: '/bus/enrolments',
      body: { types: [jsonType], schema: BusEnrolmentRequest, isInput: true, limit: 'max-json-size' },
      answer: json('What it shows the bus from now on.', BusEnrolled),
    },
  }),
  revokeBusMember: declare({
    ...changes(bus, 'configure', 'manage-users'),
    summary: 'Take a member out of the bus: it is cut off, and cannot come back; or take back an invitation',
    input: { member: BusMemberId },
    problems: ['no-admission', 'unknown-object', 'last-member', 'storage-failed'],
    http: {
      method: 'DELETE',
      path: '/bus/members/:member',
      answer: json('It is off the list, and that is on disk.', BusRevoked),
    },
  }),
};
