// Operations on certificates: which there are, and whom a person trusts.
import Type from 'typebox';
import { Certificate, CertificateState } from '../certificates.ts';
import { closed } from '../closed.ts';
import { batchOf, Name } from './channel-fields.ts';
import { name } from './inputs.ts';
import { changes, declare, done, json, ofNamedWrites, reads } from './operation.ts';

const certificates = { tag: 'Certificates', resource: 'certificates' } as const;

const selection = { state: Type.Optional(CertificateState) };

const Of = Type.Optional(
  Type.String({
    pattern: '^(connector|provider)/[_0-9a-zA-Z]{1,64}$',
    description: 'Only for this one, such as connector/press; without it, for all that have it.',
  }),
);

const opcodes = ['trust', 'reject', 'renew', 'delete'] as const;

const operate = {
  request: 'OperateCertificates',
  summary: 'Trusts, rejects, renews and deletes certificates, by thumbprint; each is answered as over HTTP.',
  fields: {
    operations: batchOf(
      Type.Object({ name: Name, opcode: Type.Enum([...opcodes], { type: 'string' }), of: Of }, closed),
    ),
  },
  batch: 'operations',
} as const;

const operation = <const Opcode extends (typeof opcodes)[number], const Method extends 'POST' | 'DELETE'>(
  opcode: Opcode,
  method: Method,
  path: string,
  summary: string,
  happened: string,
) =>
  declare({
    ...changes(certificates, 'configure', 'configure'),
    summary,
    input: { ...name, of: Of },
    problems: [...ofNamedWrites, 'wrong-certificate'],
    http: { method, path, names: 'the certificate: its thumbprint, SHA-256 or SHA-1', answer: done(happened) },
    channel: [{ ...operate, when: { opcode } }],
  });

export const certificateOperations = {
  listCertificates: declare({
    ...reads(certificates, 'read-config'),
    summary: 'List the certificates of connectors and providers: own, trusted, issuers and rejected',
    input: selection,
    problems: [],
    http: {
      method: 'GET',
      path: '/data/certificates',
      answer: json(
        'One entry for each certificate and each connector or provider that has it.',
        Type.Array(Certificate),
      ),
    },
    channel: [
      {
        request: 'ReadCertificates',
        summary: 'Lists certificates, as GET /certificates does.',
        fields: selection,
        answer: { certificates: Type.Array(Certificate) },
      },
    ],
  }),
  trustCertificate: operation(
    'trust',
    'POST',
    '/data/certificates/:name/trust',
    'Trust a rejected certificate, whoever signed it and whatever names it has; who waits for it connects at once',
    'It is trusted.',
  ),
  rejectCertificate: operation(
    'reject',
    'POST',
    '/data/certificates/:name/reject',
    'Take back the trust in a certificate: connections that rest on it are closed',
    'It is not trusted any more.',
  ),
  renewCertificate: operation(
    'renew',
    'POST',
    '/data/certificates/:name/renew',
    'Replace an own self-signed certificate by a new one of the same key, which peers must trust again',
    'The new one is being made, and its owner restarted.',
  ),
  deleteCertificate: operation(
    'delete',
    'DELETE',
    '/data/certificates/:name',
    'Delete a rejected certificate, which is back when it is presented again, or an issuer',
    'It is deleted.',
  ),
};
