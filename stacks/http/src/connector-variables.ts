// The variables of the connector, and what must hold between them.
import {
  CertificateFile,
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
    destination: true,
    title: 'URL of the server',
    description:
      'The paths of the addresses follow it, such as `http://192.168.5.20` or `https://plc.example:8443/api/v1`.',
    pattern: '^https?://[^\\s/?#@]+(?:/[^\\s?#]*)?$',
    form: 'a URL such as https://plc.example:8443/api, without user, query and fragment',
  }),
  scanPeriodMs: scanPeriodVariable,
  timeoutMs: timeoutVariable,
  requestsAtOnce: Type.Integer({
    title: 'Concurrent requests',
    description: 'Each uses its own connection, which is reused.',
    default: 2,
    minimum: 1,
    maximum: 16,
  }),
  maxBodyBytes: Type.Integer({
    title: 'Maximum size of an answer in bytes',
    default: 1_048_576,
    minimum: 1024,
    maximum: 67_108_864,
  }),
  headers: Type.String({
    title: 'Further headers of every request',
    description: 'One per line, as `Name: value`.',
    default: '',
  }),
  user: Type.String({ title: 'User', description: 'For basic authentication, with the password.', default: '' }),
  password: Secret({ title: 'Password', default: '' }),
  token: Secret({ title: 'Bearer token', default: '' }),
  keyHeader: Type.String({
    title: 'Name of the header with the API key',
    description: 'Such as `X-API-Key`; its value is `key`.',
    default: '',
  }),
  key: Secret({ title: 'API key', default: '' }),
  caFile: CertificateFile({
    title: 'File with the CA certificates',
    description: 'PEM, in the folder of the connector. Only these are trusted then, not the CAs of the system.',
    of: 'authority',
  }),
  dangerouslyTrustAnyCertificate: Type.Boolean({
    destination: true,
    title: 'Accept any certificate',
    description: 'Anyone between server and device can then read and change everything, passwords included.',
    default: false,
  }),
  timeUnit: Type.Enum(['s', 'ms', 'us'], {
    title: 'Unit of numeric times',
    description: 'Since 1970. Times given as text are parsed as ISO 8601.',
    default: 's',
  }),
  browsePaths: Type.String({
    title: 'Paths to offer when the server is browsed',
    description: 'Separated by commas. The paths of the measurements are always offered.',
    default: '/',
    pattern: '^[^\\s#]*$',
    form: 'paths separated by commas, without white space and #',
  }),
});

export type ConnectorVariables = Static<typeof connectorVariables>;

export function checkConnectorVariables(values: ConnectorVariables): VariableFault[] {
  const faults: VariableFault[] = [];
  const fault = (field: keyof ConnectorVariables, message: string) => faults.push({ field, message });
  const { baseUrl, user, password, token, keyHeader, key, headers, caFile, dangerouslyTrustAnyCertificate } = values;
  if (!URL.canParse(baseUrl)) fault('baseUrl', 'is not a URL, such as http://192.168.5.20');
  if ((user === '') !== (password === ''))
    fault(user === '' ? 'user' : 'password', 'is required: basic authentication needs user and password');
  if (user !== '' && token !== '') fault('token', 'cannot be combined with user and password: remove one of them');
  if ((keyHeader === '') !== (key === ''))
    fault(key === '' ? 'key' : 'keyHeader', 'is required: keyHeader and key belong together');
  const isEncrypted = baseUrl.startsWith('https:');
  if (caFile !== '' && !isEncrypted) fault('caFile', 'requires https in baseUrl');
  if (dangerouslyTrustAnyCertificate && (!isEncrypted || caFile !== '')) {
    fault('dangerouslyTrustAnyCertificate', 'requires https in baseUrl, and no caFile');
  }
  for (const field of ['headers', 'keyHeader'] as const) {
    const parsed = parseHeaders(field === 'headers' ? headers : keyHeader && `${keyHeader}: x`);
    if (typeof parsed === 'string') fault(field, parsed);
  }
  return faults;
}
