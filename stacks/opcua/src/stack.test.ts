import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { declaredWell } from '@telltale/stack-kit/testing';
import opcua from './stack.ts';

const connector = opcua.connector ?? assert.fail();
const provider = opcua.provider ?? assert.fail();
const endpointUrl = 'opc.tcp://127.0.0.1:4840';

function fields({ faults }: { readonly faults: readonly { readonly field: string }[] }): string[] {
  return faults.map(({ field }) => field);
}

describe('the OPC UA stack', () => {
  declaredWell(opcua, new URL('../README.md', import.meta.url));

  test('wants nothing but the address of the server, and is secured by default', () => {
    assert.deepEqual(fields(connector.readVariables({})), ['endpointUrl']);
    const { values } = connector.readVariables({ endpointUrl });
    assert.equal(values?.securityMode, 'best');
  });

  test('has one user for a connector, by name or by certificate', () => {
    assert.deepEqual(fields(connector.readVariables({ endpointUrl, userName: 'a', userCertificate: 'b' })), [
      'userCertificate',
    ]);
    assert.deepEqual(fields(connector.readVariables({ endpointUrl, password: 'b' })), ['userName']);
    const open = { endpointUrl, userName: 'a', password: 'b', securityMode: 'None' };
    assert.deepEqual(fields(connector.readVariables(open)), ['securityMode']);
    assert.deepEqual(fields(connector.readVariables({ ...open, dangerouslyTrustAnyServer: 'true' })), []);
    assert.deepEqual(fields(connector.readVariables({ endpointUrl, userCertificate: '../own/x' })), [
      'userCertificate',
    ]);
  });

  test('has a session that lasts from one look at the server to the next', () => {
    const read = (keepAliveMs: string) =>
      fields(connector.readVariables({ endpointUrl, sessionTimeoutMs: '10000', keepAliveMs }));
    assert.deepEqual(read('10000'), ['sessionTimeoutMs']);
    assert.deepEqual(read('9000'), []);
  });

  test('takes several servers of a redundant set, each once', () => {
    const read = (endpointUrl: string) => fields(connector.readVariables({ endpointUrl }));
    assert.deepEqual(read('opc.tcp://a:4840,opc.tcp://b:4840/path, opc.tcp://c:1'), []);
    for (const wrong of [
      'opc.tcp://a:4840,',
      'opc.tcp://a:1,opc.tcp://a:1',
      'opc.tcp://a:1;opc.tcp://b:1',
      'a:1,b:1',
    ]) {
      assert.deepEqual(read(wrong), ['endpointUrl'], wrong);
    }
    const many = Array.from({ length: 9 }, (_, at) => `opc.tcp://a:${at}`);
    assert.deepEqual(read(many.join(',')), ['endpointUrl']);
    assert.deepEqual(read(many.slice(1).join(',')), []);
  });

  test('wants mode and policy where the certificate of the server is given by hand', () => {
    const given = { endpointUrl: 'opc.tcp://plc:4840', serverCertificate: 'plc.der' };
    assert.deepEqual(fields(connector.readVariables(given)), ['serverCertificate']);
    assert.deepEqual(fields(connector.readVariables({ ...given, securityMode: 'Sign' })), ['serverCertificate']);
    const whole = { ...given, securityMode: 'Sign', securityPolicy: 'Basic256Sha256' };
    assert.deepEqual(fields(connector.readVariables(whole)), []);
    const elsewhere = { ...whole, serverCertificate: '../own/private-key.pem' };
    assert.deepEqual(fields(connector.readVariables(elsewhere)), ['serverCertificate']);
  });

  test('serves nobody who is not named: a user is wanted, with a password', () => {
    assert.deepEqual(fields(provider.readVariables({})), ['userName']);
    assert.deepEqual(fields(provider.readVariables({ userName: 'joe' })), ['password']);
    assert.deepEqual(fields(provider.readVariables({ userName: 'joe', password: 'x' })), []);
    assert.deepEqual(fields(provider.readVariables({ readerName: 'ann', readerPassword: 'x' })), []);
    const twice = { userName: 'joe', password: 'x', readerName: 'joe', readerPassword: 'y' };
    assert.deepEqual(fields(provider.readVariables(twice)), ['readerName']);
    const { values } = provider.readVariables({ userName: 'joe', password: 'x' });
    assert.deepEqual([values?.anonymous, values?.unsecured, values?.host], [false, false, '127.0.0.1']);
  });

  test('listens beyond the machine for anonymous clients only where it is said who may come', () => {
    const open = { anonymous: 'true', host: '0.0.0.0' };
    assert.deepEqual(fields(provider.readVariables(open)), ['allowedClients']);
    assert.deepEqual(fields(provider.readVariables({ ...open, allowedClients: '10.0.0.0/8' })), []);
    assert.deepEqual(fields(provider.readVariables({ host: '0.0.0.0', userName: 'joe', password: 'x' })), []);
  });

  test('checks the properties that say how a node is monitored', () => {
    const check = (properties: Record<string, string>) =>
      connector.checkAddress('measurement', 'ns=2;s=a', { datatype: 'd', properties });
    const right = { samplingInterval: '0', queueSize: '1', discardOldest: 'false', deviceDeadband: '1.5%' };
    assert.equal(check({ ...right, publishingInterval: '1000', scanPeriod: '500', folder: 'any' }), undefined);
    for (const [name, value] of [
      ['samplingInterval', '-1'],
      ['publishingInterval', '5'],
      ['queueSize', '0'],
      ['discardOldest', 'yes'],
      ['deviceDeadband', '101%'],
      ['deviceDeadband', ''],
      ['scanPeriod', '1'],
    ] as const) {
      assert.match(check({ [name]: value }) ?? '', new RegExp(name), `${name} ${value}`);
    }
  });
});
