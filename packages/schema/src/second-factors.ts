// What people have beside a password to sign in: one-time codes of an authenticator app, passkeys, and codes for recovery.
import Type, { type Static } from 'typebox';
import { strict } from './closed.ts';

const Time = (description: string) => Type.Number({ description: `${description}, in seconds since 1970.` });
const Bytes = (maxLength: number, description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength, description: `${description}, in base64url.` });
const Extensions = Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()));

const ofCredential = {
  id: Bytes(1400, 'Its id'),
  rawId: Bytes(1400, 'Its id'),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Union([Type.String({ maxLength: 32 }), Type.Null()])),
  clientExtensionResults: Extensions,
};

/** What `navigator.credentials.create` has made, as its `toJSON` writes it. */
export const CreatedPasskey = Type.Object(
  {
    ...ofCredential,
    response: Type.Object(
      {
        clientDataJSON: Bytes(8192, 'What the browser was asked'),
        attestationObject: Bytes(32_768, 'The key and its statement'),
        authenticatorData: Type.Optional(Bytes(32_768, 'The key')),
        publicKey: Type.Optional(Bytes(8192, 'The key')),
        publicKeyAlgorithm: Type.Optional(Type.Integer()),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
      },
      { additionalProperties: false },
    ),
  },
  strict('CreatedPasskey'),
);
export type CreatedPasskey = Static<typeof CreatedPasskey>;

/** What `navigator.credentials.get` has answered, as its `toJSON` writes it. */
export const PresentedPasskey = Type.Object(
  {
    ...ofCredential,
    response: Type.Object(
      {
        clientDataJSON: Bytes(8192, 'What the browser was asked'),
        authenticatorData: Bytes(8192, 'What the authenticator says'),
        signature: Bytes(8192, 'Its signature'),
        userHandle: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()])),
      },
      { additionalProperties: false },
    ),
  },
  strict('PresentedPasskey'),
);

export const SecondFactors = Type.Object(
  {
    isRequired: Type.Boolean({ description: 'Whether a role of the user demands a second factor.' }),
    totp: Type.Boolean({ description: 'Whether codes of an authenticator app are set up.' }),
    passkeys: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          created: Time('When it was made'),
          lastUsed: Type.Optional(Time('When it was used last')),
        },
        { additionalProperties: false },
      ),
    ),
    recoveryCodes: Type.Integer({ description: 'How many codes for recovery are left.' }),
  },
  strict('SecondFactors'),
);
export type SecondFactors = Static<typeof SecondFactors>;

export const NewTotp = Type.Object(
  {
    secret: Type.String({ description: 'To type into the app.' }),
    uri: Type.String({ description: 'The same, for a QR code.' }),
  },
  strict('NewTotp'),
);

export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description:
        'Each signs in once in the place of a second factor. They are shown this once; empty: the earlier ones hold.',
    }),
  },
  strict('RecoveryCodes'),
);
