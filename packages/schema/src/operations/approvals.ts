// Operations on what must be signed: one person signs, and where a second person is wanted, that one approves.
import Type from 'typebox';
import { Approval, Signature, SignedAction } from '../approvals.ts';
import { jsonType } from '../media-types.ts';
import { Comment } from '../revision.ts';
import { changes, declare, done, json, ofJsonBodies, reads } from './operation.ts';

const approvals = { tag: 'Approvals', resource: 'approvals' } as const;
const approval = { approval: Type.String({ maxLength: 64, description: 'The id of the request.' }) };
const body = (schema: typeof Signature | typeof SignedAction) =>
  ({ types: [jsonType], schema, isInput: true, limit: 'max-json-size' }) as const;

const ofSignatures = [
  ...ofJsonBodies,
  'invalid-body',
  'wrong-credentials',
  'second-factor-needed',
  'too-many-attempts',
  'signature-needed',
  'reason-needed',
  'not-initialized',
  'not-allowed',
  'unknown-object',
  'overloaded',
  'directory-unavailable',
  'storage-failed',
] as const;

/** Of what is done in the end, beyond those of the operation itself. */
const ofActions = ['invalid-value', 'out-of-range', 'write-refused', 'connector-down', 'write-timeout'] as const;

export const approvalOperations = {
  signAction: declare({
    ...changes(approvals, 'write', 'signed-in'),
    summary: 'Sign an action: it is done, or waits for five minutes for a second person where it must be approved',
    input: SignedAction.properties,
    problems: [...ofSignatures, ...ofActions, 'too-many-requests'],
    http: {
      method: 'POST',
      path: '/data/approvals',
      body: body(SignedAction),
      answer: json('What has become of it: done, or pending.', Approval),
    },
  }),
  listApprovals: declare({
    ...reads(approvals, 'view'),
    summary: 'List what waits for approval, and what did so within the last day',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/approvals', answer: json('The newest first.', Type.Array(Approval)) },
  }),
  getApproval: declare({
    ...reads(approvals, 'view'),
    summary: 'Get one request for approval',
    input: approval,
    problems: ['unknown-object'],
    http: { method: 'GET', path: '/data/approvals/:approval', answer: json('The request.', Approval) },
  }),
  approveAction: declare({
    ...changes(approvals, 'write', 'signed-in'),
    summary: 'Approve what another person has requested: it is done now, once',
    input: { ...approval, ...Signature.properties },
    problems: [...ofSignatures, ...ofActions, 'approval-ended'],
    http: {
      method: 'POST',
      path: '/data/approvals/:approval/approve',
      body: body(Signature),
      answer: done('It is done.'),
    },
  }),
  rejectAction: declare({
    ...changes(approvals, 'write', 'signed-in'),
    summary: 'Reject what another person has requested, or withdraw an own request',
    input: { ...approval, reason: Type.Optional(Comment) },
    problems: ['unknown-object', 'not-allowed', 'approval-ended', 'storage-failed'],
    http: {
      method: 'POST',
      path: '/data/approvals/:approval/reject',
      answer: done('It cannot be approved any more.'),
    },
  }),
};
