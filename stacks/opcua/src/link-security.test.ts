import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  EndpointDescription,
  MessageSecurityMode,
  SecurityPolicy,
  UserTokenPolicy,
  UserTokenType,
} from 'node-opcua-client';
import { checkSecurity, chooseEndpoint } from './link-security.ts';

type Mode = keyof typeof MessageSecurityMode;
type Policy = keyof typeof SecurityPolicy;

const endpoint = (mode: Mode, policy: Policy, endpointUrl = 'opc.tcp://plc:4840') =>
  new EndpointDescription({
    endpointUrl,
    securityMode: MessageSecurityMode[mode],
    securityPolicyUri: SecurityPolicy[policy],
  });

const all = [
  endpoint('None', 'None'),
  endpoint('SignAndEncrypt', 'Basic128Rsa15'),
  endpoint('Sign', 'Aes256_Sha256_RsaPss'),
  endpoint('SignAndEncrypt', 'Aes128_Sha256_RsaOaep'),
  endpoint('SignAndEncrypt', 'Basic256Sha256'),
  endpoint('Sign', 'Basic256Sha256'),
  endpoint('SignAndEncrypt', 'Aes256_Sha256_RsaPss', 'https://plc:4843'),
];

describe('the endpoint that is chosen', () => {
  const cases: [string, string, number | undefined][] = [
    ['best', 'best', 4],
    ['Sign', 'best', 2],
    ['best', 'Aes128_Sha256_RsaOaep', 3],
    ['best', 'Aes256_Sha256_RsaPss', 2],
    ['SignAndEncrypt', 'Aes256_Sha256_RsaPss', undefined],
  ];
  for (const [securityMode, securityPolicy, expected] of cases) {
    test(`is right for mode ${securityMode} and policy ${securityPolicy}`, () => {
      const chosen = chooseEndpoint(all, { securityMode, securityPolicy } as Parameters<typeof chooseEndpoint>[1]);
      assert.equal(chosen && all.indexOf(chosen), expected);
    });
  }

  test('is never one without security, or with one that is broken', () => {
    const weak = all.slice(0, 2);
    assert.equal(chooseEndpoint(weak, { securityMode: 'best', securityPolicy: 'best' }), undefined);
  });

  test('is held against what the server says over the link that it has secured', () => {
    const variables = { securityMode: 'best', securityPolicy: 'best', userName: 'joe' } as const;
    const taken = (mode: Mode, policy: Policy) => ({
      securityMode: MessageSecurityMode[mode],
      securityPolicy: SecurityPolicy[policy],
      serverCertificate: undefined,
    });
    checkSecurity(taken('SignAndEncrypt', 'Basic256Sha256'), all, variables);
    checkSecurity(taken('Sign', 'Basic256Sha256'), [], variables);
    checkSecurity(taken('None', 'None'), all, { ...variables, securityMode: 'None' });
    assert.throws(() => checkSecurity(taken('Sign', 'Basic256Sha256'), all, variables), {
      name: 'NotConnected',
      message: /offers SignAndEncrypt Basic256Sha256/,
    });
  });

  test('has no password in the clear over a link that is only signed', () => {
    const taken = (mode: Mode) => ({
      securityMode: MessageSecurityMode[mode],
      securityPolicy: SecurityPolicy.Basic256Sha256,
      serverCertificate: undefined,
    });
    const offer = (mode: Mode, ...policies: (Policy | undefined)[]) => {
      const offered = endpoint(mode, 'Basic256Sha256');
      offered.userIdentityTokens = policies.map(
        (policy) =>
          new UserTokenPolicy({
            tokenType: UserTokenType.UserName,
            securityPolicyUri: policy === undefined ? null : SecurityPolicy[policy],
          }),
      );
      return [offered];
    };
    const variables = { securityMode: 'best', securityPolicy: 'best', userName: 'joe' } as const;
    const clear = { name: 'NotConnected', message: /password unencrypted/ };
    assert.throws(() => checkSecurity(taken('Sign'), offer('Sign', 'None'), variables), clear);
    checkSecurity(taken('Sign'), offer('Sign', 'None'), { ...variables, userName: '' });
    checkSecurity(taken('Sign'), offer('Sign', undefined), variables);
    checkSecurity(taken('Sign'), offer('Sign', 'None', 'Basic256Sha256'), variables);
    checkSecurity(taken('SignAndEncrypt'), offer('SignAndEncrypt', 'None'), variables);
  });
});
