// Operations on what people have beside a password to sign in.
import Type from 'typebox';
import { AccountName } from '../access.ts';
import { closed } from '../closed.ts';
import { jsonType } from '../media-types.ts';
import { CreatedPasskey, NewTotp, RecoveryCodes, SecondFactors } from '../second-factors.ts';
import { changes, declare, done, json, ofJsonBodies, reads } from './operation.ts';

const access = { tag: 'Access', resource: 'access' } as const;
const own = changes(access, 'sign-in', 'signed-in');
const ofChanges = ['sign-in-again', 'not-allowed', 'storage-failed'] as const;
const body = (schema: ReturnType<typeof Type.Object>) =>
  ({ types: [jsonType], schema, isInput: true, limit: 'max-json-size' }) as const;

const Code = Type.Object({ code: Type.String({ maxLength: 32, description: 'That the app shows now.' }) }, closed);
const NewPasskey = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64, description: 'For its owner.' }), passkey: CreatedPasskey },
  closed,
);
const Options = (description: string) => json(description, Type.Object({}));

export const secondFactorOperations = {
  getPasskeyRequest: declare({
    ...reads(access, 'public'),
    summary: 'Get what navigator.credentials.get takes, to sign in with a passkey',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/access/sign-in/passkey', answer: Options('Good once, for five minutes.') },
  }),
  getSecondFactors: declare({
    ...reads(access, 'signed-in'),
    summary: 'Get the own second factors',
    input: {},
    problems: ['not-allowed'],
    http: { method: 'GET', path: '/access/me/second-factors', answer: json('Those that there are.', SecondFactors) },
  }),
  beginTotp: declare({
    ...own,
    summary: 'Begin with an authenticator app: get a secret for it, which counts when a code of it was sent',
    input: {},
    problems: ofChanges,
    http: { method: 'POST', path: '/access/me/totp', answer: json('Good for ten minutes.', NewTotp) },
  }),
  confirmTotp: declare({
    ...own,
    summary: 'Send a code of the authenticator app: from now on, signing in needs one',
    input: Code.properties,
    problems: [...ofJsonBodies, 'invalid-body', 'wrong-code', ...ofChanges],
    http: { method: 'PUT', path: '/access/me/totp', body: body(Code), answer: json('It holds.', RecoveryCodes) },
  }),
  removeTotp: declare({
    ...own,
    summary: 'Remove the authenticator app',
    input: {},
    problems: ofChanges,
    http: { method: 'DELETE', path: '/access/me/totp', answer: done('It is gone.') },
  }),
  renewRecoveryCodes: declare({
    ...own,
    summary: 'Make new codes for recovery; the earlier ones end',
    input: {},
    problems: ofChanges,
    http: { method: 'POST', path: '/access/me/recovery-codes', answer: json('They hold.', RecoveryCodes) },
  }),
  getPasskeyCreation: declare({
    ...reads(access, 'signed-in'),
    summary: 'Get what navigator.credentials.create takes, to make a passkey',
    input: {},
    problems: ['not-allowed'],
    http: { method: 'GET', path: '/access/me/passkeys/new', answer: Options('Good once, for five minutes.') },
  }),
  addPasskey: declare({
    ...own,
    summary: 'Add a passkey that the browser has made: from now on, signing in needs a second factor',
    input: NewPasskey.properties,
    problems: [...ofJsonBodies, 'invalid-body', 'invalid-passkey', 'too-many-requests', ...ofChanges],
    http: {
      method: 'POST',
      path: '/access/me/passkeys',
      body: body(NewPasskey),
      answer: json('It holds.', RecoveryCodes),
    },
  }),
  removePasskey: declare({
    ...own,
    summary: 'Remove a passkey',
    input: { passkey: Type.String({ maxLength: 1400, description: 'Its id.' }) },
    problems: ['unknown-object', ...ofChanges],
    http: { method: 'DELETE', path: '/access/me/passkeys/:passkey', answer: done('It is gone.') },
  }),
  removeSecondFactors: declare({
    ...changes(access, 'configure', 'manage-users'),
    summary: 'Remove all second factors of a user who has lost them; its sessions end',
    input: { account: AccountName },
    problems: ['invalid-name', 'unknown-object', 'storage-failed'],
    http: {
      method: 'DELETE',
      path: '/access/users/:account/second-factors',
      names: 'the user',
      answer: done('They are gone, and that is on disk.'),
    },
  }),
};
