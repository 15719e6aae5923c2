// The variables of the connector, and what must hold between them.
import {
  Secret,
  type Static,
  scanPeriodVariable,
  Type,
  timeoutVariable,
  type VariableFault,
} from '@telltale/stack-kit';
import { parseHeaders } from './headers.ts';

export const connectorVariables = Type.Object({
  baseUrl: Type.String({
    title: 'URL of the server',
    description:
      'The paths of the addresses follow it, such as `http://192.168.5.20` or `https://plc.example:8443/api/v1`.',
    pattern: '^https?://[^\\s/?#@]+(?:/[^\\s?#]*)?$',
  }),
  scanPeriodMs: scanPeriodVariable,
  timeoutMs: timeoutVariable,
  requestsAtOnce: Type.Integer({
    title: 'Requests under way at once',
    description: 'Each has a connection, which is kept for the next.',
    default: 2,
    minimum: 1,
    maximum: 16,
  }),
  maxBodyBytes: Type.Integer({
    title: 'Most bytes of an answer',
    default: 1_048_576,
    minimum: 1024,
    maximum: 67_108_864,
  }),
  headers: Type.String({
    title: 'Further headers of every request',
    description: 'One a line, as `Name: value`.',
    default: '',
  }),
  user: Type.String({ title: 'User', description: 'For basic authentication, with the password.', default: '' }),
  password: Secret({ title: 'Password', default: '' }),
  token: Secret({ title: 'Bearer token', default: '' }),
  keyHeader: Type.String({
    title: 'Name of a header with a key',
    description: 'Such as `X-API-Key`; its value is `key`.',
    default: '',
  }),
  key: Secret({ title: 'Key in that header', default: '' }),
  caFile: Type.String({
    title: 'File with the certificates of the authority',
    description: 'PEM, in the folder of the connector. Then it alone is trusted, and not what the system trusts.',
    default: '',
    pattern: '^(?:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,100})?$',
  }),
  dangerouslyTrustAnyCertificate: Type.Boolean({
    title: 'Takes any certificate',
    description: 'Whoever sits between can then read and change everything, passwords included.',
    default: false,
  }),
  timeUnit: Type.Enum(['s', 'ms', 'us'], {
    title: 'Unit of times that are numbers',
    description: 'Since 1970. Times that are texts are read as ISO 8601.',
    default: 's',
  }),
  browsePaths: Type.String({
    title: 'Paths to offer when the server is browsed',
    description: 'With commas between them; those of the measurements are offered as well.',
    default: '/',
    pattern: '^[^\\s#]*$',
  }),
});

export type ConnectorVariables = Static<typeof connectorVariables>;

export function checkConnectorVariables(values: ConnectorVariables): VariableFault[] {
  const faults: VariableFault[] = [];
  const fault = (field: keyof ConnectorVariables, message: string) => faults.push({ field, message });
  const { baseUrl, user, password, token, keyHeader, key, headers, caFile, dangerouslyTrustAnyCertificate } = values;
  if (!URL.canParse(baseUrl)) fault('baseUrl', 'is not a URL, such as http://192.168.5.20');
  if ((user === '') !== (password === '')) fault(user === '' ? 'user' : 'password', 'goes with the other one');
  if (user !== '' && token !== '') fault('token', 'is not sent along with a user and a password: leave one out');
  if ((keyHeader === '') !== (key === '')) fault(key === '' ? 'key' : 'keyHeader', 'goes with the other one');
  const isEncrypted = baseUrl.startsWith('https:');
  if (caFile !== '' && !isEncrypted) fault('caFile', 'is of no use without https in baseUrl');
  if (dangerouslyTrustAnyCertificate && (!isEncrypted || caFile !== '')) {
    fault('dangerouslyTrustAnyCertificate', 'goes with https in baseUrl and without caFile');
  }
  for (const field of ['headers', 'keyHeader'] as const) {
    const parsed = parseHeaders(field === 'headers' ? headers : keyHeader && `${keyHeader}: x`);
    if (typeof parsed === 'string') fault(field, parsed);
  }
  return faults;
}
