// How a link is secured and as whom it comes: the best endpoint of those that the server offers and a person allows.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotConnected } from '@telltale/stack-kit';
import {
  crypto_utils,
  type EndpointDescription,
  MessageSecurityMode,
  SecurityPolicy,
  type StatusCode,
  type UserIdentityInfo,
  UserTokenType,
} from 'node-opcua-client';
import type { CertificateFolder } from './certificate-folder.ts';
import type { ConnectorVariables } from './variables.ts';

export interface Security {
  readonly securityMode: MessageSecurityMode;
  readonly securityPolicy: SecurityPolicy;
  readonly serverCertificate: Buffer | undefined;
}

export const unsecured: Security = {
  securityMode: MessageSecurityMode.None,
  securityPolicy: SecurityPolicy.None,
  serverCertificate: undefined,
};

const policies = new Map<string, SecurityPolicy>([
  ['Basic256Sha256', SecurityPolicy.Basic256Sha256],
  ['Aes128_Sha256_RsaOaep', SecurityPolicy.Aes128_Sha256_RsaOaep],
  ['Aes256_Sha256_RsaPss', SecurityPolicy.Aes256_Sha256_RsaPss],
]);
/** The best last. */
const byStrength = [
  SecurityPolicy.Aes128_Sha256_RsaOaep,
  SecurityPolicy.Basic256Sha256,
  SecurityPolicy.Aes256_Sha256_RsaPss,
];

/** Throws `NotConnected` where the server offers nothing that will do, or is not trusted. */
export async function chooseSecurity(
  variables: Pick<ConnectorVariables, 'securityMode' | 'securityPolicy' | 'serverCertificate'>,
  folder: string,
  certificates: CertificateFolder,
  discover: () => Promise<EndpointDescription[]>,
): Promise<Security> {
  if (variables.securityMode === 'None') return unsecured;
  if (variables.serverCertificate !== '') {
    const security = await givenSecurity(variables, folder);
    await checkTrust(certificates, security.serverCertificate);
    return security;
  }
  const endpoints = await discover();
  const best = chooseEndpoint(endpoints, variables);
  if (best === undefined) {
    throw new NotConnected(
      `the server offers no endpoint with mode ${variables.securityMode} and policy ${variables.securityPolicy}, only ` +
        `${endpoints.slice(0, 20).map(describeEndpoint).join(', ')}; None is used only if securityMode is None`,
    );
  }
  await checkTrust(certificates, best.serverCertificate, best.server?.applicationUri ?? '');
  return {
    securityMode: best.securityMode,
    securityPolicy: best.securityPolicyUri as SecurityPolicy,
    serverCertificate: best.serverCertificate,
  };
}

/** `applicationUri`: as the server calls itself; undefined where it was not asked. */
async function checkTrust(
  certificates: CertificateFolder,
  certificate: Buffer = Buffer.alloc(0),
  applicationUri?: string,
): Promise<void> {
  const trust = await certificates.checkCertificate(certificate);
  const isToCompare = trust.isGood() && applicationUri !== undefined;
  const status = isToCompare ? certificates.checkApplicationUri(certificate, applicationUri) : trust;
  refuseBad(status);
}

function refuseBad(status: StatusCode): void {
  if (status.isBad()) {
    throw new NotConnected(`the certificate of the server is refused (${status.name}): telltale certificates`);
  }
}

/**
 * Of a server whose certificate was given by hand, over the secured link: whether it calls itself what the certificate says. One that says
 * nothing is whom a person has named. Throws `NotConnected`.
 */
export function checkName(
  { serverCertificate }: Security,
  endpoints: readonly EndpointDescription[],
  certificates: CertificateFolder,
): void {
  const names = endpoints.flatMap(({ serverCertificate: presented, server }) => {
    const isIts = serverCertificate !== undefined && presented?.equals(serverCertificate);
    return isIts && server?.applicationUri ? [server.applicationUri] : [];
  });
  for (const name of new Set(names)) {
    refuseBad(certificates.checkApplicationUri(serverCertificate as Buffer, name));
  }
}

/** By hand: nothing is asked of the server. */
async function givenSecurity(
  { securityMode, securityPolicy, serverCertificate }: Parameters<typeof chooseSecurity>[0],
  folder: string,
): Promise<Security> {
  const policy = policies.get(securityPolicy);
  if (policy === undefined) throw new NotConnected(`securityPolicy ${securityPolicy} is none to begin with`);
  try {
    return {
      securityMode: MessageSecurityMode[securityMode as 'Sign' | 'SignAndEncrypt'],
      securityPolicy: policy,
      serverCertificate: await readDer(join(folder, 'trusted', serverCertificate)),
    };
  } catch (error) {
    throw new NotConnected(`cannot read the certificate of the server: ${(error as Error).message}`);
  }
}

async function readDer(file: string): Promise<Buffer> {
  const certificate = await readFile(file);
  const isPem = certificate.subarray(0, 10).toString('latin1').startsWith('-----BEGIN');
  return isPem ? crypto_utils.convertPEMtoDER(certificate.toString('latin1')) : certificate;
}

/**
 * Discovery runs over a link that anyone could tamper with, so the endpoints are read again over the secured one, before
 * the user is sent. Throws `NotConnected` if the server offers a stronger endpoint than was selected (a downgrade), or
 * wants the password in the clear over a link that is only signed.
 */
export function checkSecurity(
  taken: Security,
  endpoints: readonly EndpointDescription[],
  variables: Pick<ConnectorVariables, 'securityMode' | 'securityPolicy' | 'userName'>,
): void {
  if (taken.securityMode === MessageSecurityMode.None) return;
  const best = chooseEndpoint(endpoints, variables);
  if (best === undefined) return;
  if (best.securityMode !== taken.securityMode || best.securityPolicyUri !== taken.securityPolicy) {
    throw new NotConnected(
      `the server offers ${describeEndpoint(best)}, but its discovery answer did not: it may have been tampered with`,
    );
  }
  const tokens = (best.userIdentityTokens ?? []).filter(({ tokenType }) => tokenType === UserTokenType.UserName);
  const isClear = tokens.length > 0 && tokens.every((token) => token.securityPolicyUri === SecurityPolicy.None);
  if (variables.userName !== '' && best.securityMode === MessageSecurityMode.Sign && isClear) {
    throw new NotConnected(
      'the server requires the password unencrypted over a link that is only signed: it does not offer SignAndEncrypt, ' +
        'or securityMode does not allow it',
    );
  }
}

/** The strongest of those that the variables allow; never None. */
export function chooseEndpoint(
  endpoints: readonly EndpointDescription[],
  { securityMode, securityPolicy }: Pick<ConnectorVariables, 'securityMode' | 'securityPolicy'>,
): EndpointDescription | undefined {
  const wanted = policies.get(securityPolicy);
  const strength = ({ securityMode: mode, securityPolicyUri }: EndpointDescription) =>
    (mode === MessageSecurityMode.SignAndEncrypt ? 10 : 0) + byStrength.indexOf(securityPolicyUri as SecurityPolicy);
  return endpoints
    .filter(({ endpointUrl }) => endpointUrl?.startsWith('opc.tcp:'))
    .filter(({ securityPolicyUri }) => byStrength.includes(securityPolicyUri as SecurityPolicy))
    .filter(({ securityPolicyUri }) => wanted === undefined || securityPolicyUri === wanted)
    .filter(({ securityMode: mode }) =>
      securityMode === 'best'
        ? mode === MessageSecurityMode.SignAndEncrypt || mode === MessageSecurityMode.Sign
        : mode === MessageSecurityMode[securityMode as 'Sign' | 'SignAndEncrypt'],
    )
    .reduce<EndpointDescription | undefined>(
      (best, each) => (best === undefined || strength(each) > strength(best) ? each : best),
      undefined,
    );
}

function describeEndpoint({ securityMode, securityPolicyUri }: EndpointDescription): string {
  return `${MessageSecurityMode[securityMode]} ${securityPolicyUri?.split('#').at(-1)}`;
}

/** As whom the server is spoken to. Throws `NotConnected` where the files of the user cannot be read. */
export async function identityOf(
  { userName, password, userCertificate }: Pick<ConnectorVariables, 'userName' | 'password' | 'userCertificate'>,
  folder: string,
): Promise<UserIdentityInfo> {
  if (userName !== '') return { type: UserTokenType.UserName, userName, password };
  if (userCertificate === '') return { type: UserTokenType.Anonymous };
  const file = join(folder, 'user', userCertificate);
  try {
    const [certificateData, privateKey] = await Promise.all([readDer(file), readFile(`${file}.key`, 'utf8')]);
    return { type: UserTokenType.Certificate, certificateData, privateKey };
  } catch (error) {
    throw new NotConnected(`cannot read the certificate of the user: ${(error as Error).message}`);
  }
}
