// Certificates on the wire: those that the service presents, and those that others presented to it.
import Type, { type Static } from 'typebox';
import { certificateStates, certificateUses } from './certificate-words.ts';
import { strict } from './closed.ts';
import { Identifier, Timestamp } from './wire-schemas.ts';

export const CertificateState = Type.Enum([...certificateStates], {
  type: 'string',
  description:
    'own: presented to others; trusted: of others, by a person; issuer: of an authority that completes chains, and is not trusted for ' +
    'it; rejected: of others, and refused.',
});
export type CertificateState = Static<typeof CertificateState>;

export const Refusal = Type.Object(
  {
    address: Type.String({ description: 'Where it came from last; empty: not known.' }),
    reason: Type.String(),
    first: Timestamp,
    last: Timestamp,
    count: Type.Integer({ minimum: 0, description: 'How often it was presented.' }),
  },
  strict('Refusal'),
);
export type Refusal = Static<typeof Refusal>;

export const Certificate = Type.Object(
  {
    thumbprint: Type.String({ description: 'SHA-256 of the certificate, in hexadecimal.' }),
    sha1: Type.String({ description: 'SHA-1 of it, the thumbprint in OPC UA.' }),
    state: CertificateState,
    role: Type.Enum(['connector', 'provider'], { type: 'string', description: 'Who uses it, or refused it.' }),
    name: Identifier,
    use: Type.Enum([...certificateUses], {
      type: 'string',
      description:
        'application: of an OPC UA application; client: shown to a server; user: as whom it comes; peer: of the other side; ' +
        'authority: signs those.',
    }),
    subject: Type.String(),
    issuer: Type.String(),
    'self-signed': Type.Boolean(),
    names: Type.Array(Type.String(), { description: 'Of hosts.' }),
    addresses: Type.Array(Type.String(), { description: 'IP addresses and URIs.' }),
    'valid-from': Timestamp,
    'valid-until': Timestamp,
    'days-left': Type.Integer({ description: 'Whole days until it expires; less than zero: it has expired.' }),
    file: Type.String({ description: 'In the data folder.' }),
    refused: Type.Union([Refusal, Type.Null()], { description: 'When it was refused; null: not known, or never.' }),
  },
  strict('Certificate'),
);
export type Certificate = Static<typeof Certificate>;
