// Who may connect to the bus of a centre, and how somebody new is let in.
import Type, { type Static, type TSchema } from 'typebox';
import { closed, strict } from './closed.ts';
import { Timestamp } from './wire-schemas.ts';

/** What a member of a bus is; a site has its own subjects alone. */
export const BusMemberRole = Type.Enum(['site', 'archiver', 'centre', 'reader'], { type: 'string' });
export type BusMemberRole = Static<typeof BusMemberRole>;

/** The id of a member, or of an invitation: a token of a subject. */
export const BusMemberId = Type.String({
  pattern: '^[0-9A-Za-z_-]{1,40}$',
  description: 'The id of a member of the bus, which never changes, or of an invitation.',
});

export const BusMemberName = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f]{1,64}$',
  description: 'A name for people: 1 to 64 characters, and no control characters.',
});

const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });

export const BusMember = Type.Object(
  {
    id: BusMemberId,
    name: BusMemberName,
    role: BusMemberRole,
    since: Timestamp,
    by: Type.String({ description: 'Who has invited it.' }),
    state: orNull(Type.Enum(['up', 'down'], { type: 'string' }), 'Of a site; null: it is none.'),
    'last-seen': orNull(
      Timestamp,
      'Of a site that is down, when that was noticed; null: it is up, was not heard yet, or is none.',
    ),
  },
  strict('BusMember'),
);
export type BusMember = Static<typeof BusMember>;

export const BusInvitation = Type.Object(
  { id: BusMemberId, name: BusMemberName, role: BusMemberRole, until: Timestamp, by: Type.String() },
  strict('BusInvitation'),
);
export type BusInvitation = Static<typeof BusInvitation>;

export const BusMembers = Type.Object(
  {
    members: Type.Array(BusMember),
    invitations: Type.Array(BusInvitation, { description: 'Those whose codes are still good.' }),
  },
  strict('BusMembers'),
);
export type BusMembers = Static<typeof BusMembers>;

/** Of a code. */
export const longestInvitationSeconds = 7 * 86_400;

export const BusInvitationBody = Type.Object(
  {
    name: BusMemberName,
    role: Type.Optional(BusMemberRole),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: longestInvitationSeconds,
        description: 'How long the code is good; an hour where it is not given.',
      }),
    ),
  },
  closed,
);

export const BusCode = Type.Object(
  {
    id: BusMemberId,
    code: Type.String({ description: 'For telltale site enrol; it is kept nowhere.' }),
    until: Timestamp,
    'is-known': Type.Boolean({ description: 'There is a member of this name: its server gets another key.' }),
    'is-local': Type.Boolean({ description: 'It leads to an address of this machine: no other one can use it.' }),
  },
  strict('BusCode'),
);
export type BusCode = Static<typeof BusCode>;

/** What a server that was invited sends. */
export const BusEnrolmentRequest = Type.Object(
  {
    invitation: Type.String({ maxLength: 64 }),
    secret: Type.String({ maxLength: 128 }),
    id: BusMemberId,
    'public-key': Type.String({ maxLength: 1000, description: 'Of P-256, in PEM (SPKI).' }),
    proof: Type.String({
      maxLength: 200,
      description: 'Signature of `telltale enrolment INVITATION ID` by this key (ECDSA, SHA-256, DER), in base64.',
    }),
  },
  closed,
);
export type BusEnrolmentRequest = Static<typeof BusEnrolmentRequest>;

export const BusEnrolled = Type.Object(
  {
    certificate: Type.String({ description: 'Its own, in PEM.' }),
    authority: Type.String({ description: 'Whose certificates the servers of the bus show, in PEM.' }),
    bus: Type.String({ description: 'The address of the bus.', examples: ['tls://bus1.example,bus2.example'] }),
    name: BusMemberName,
    role: BusMemberRole,
  },
  strict('BusEnrolled'),
);
export type BusEnrolled = Static<typeof BusEnrolled>;

export const BusRevoked = Type.Object(
  {
    'is-cut-off': Type.Boolean({
      description: 'The server of the bus that the centre is connected to has read the list without it.',
    }),
  },
  strict('BusRevoked'),
);
export type BusRevoked = Static<typeof BusRevoked>;
