// The declaration of the Modbus stack.
import { checkScanPeriod, defineStack } from '@telltale/stack-kit';
import { addressRegex } from './address.ts';
import {
  commandDoc,
  commandExamples,
  measurementDoc,
  measurementExamples,
  servedCommandDoc,
  servedCommandExamples,
  servedMeasurementDoc,
  servedMeasurementExamples,
} from './address-doc.ts';
import { checkAddress, checkServedAddress } from './check-address.ts';
import { servedAddressRegex } from './served-address.ts';
import { checkConnectorVariables, checkProviderVariables, connectorVariables, providerVariables } from './variables.ts';

export default defineStack({
  name: 'modbus',
  title: 'Modbus',
  description:
    'Reads and writes devices by Modbus TCP, by RTU over TCP and by RTU on serial lines, several units a line. Its ' +
    'provider is a Modbus TCP server of the live points, at which clients read measurements and write commands.',
  connector: {
    load: () => import('./connector.ts'),
    variables: connectorVariables,
    check: checkConnectorVariables,
    measurement: {
      regex: addressRegex,
      doc: measurementDoc,
      examples: measurementExamples,
      check: (address, point) => checkAddress('measurement', address, point) ?? checkScanPeriod(point),
    },
    command: {
      regex: addressRegex,
      doc: commandDoc,
      examples: commandExamples,
      check: (address, point) => checkAddress('command', address, point),
    },
  },
  provider: {
    load: () => import('./provider.ts'),
    variables: providerVariables,
    check: checkProviderVariables,
    measurement: {
      regex: servedAddressRegex,
      doc: servedMeasurementDoc,
      examples: servedMeasurementExamples,
      check: (address, point) => checkServedAddress('measurement', address, point),
    },
    command: {
      regex: addressRegex,
      doc: servedCommandDoc,
      examples: servedCommandExamples,
      check: (address, point) => checkServedAddress('command', address, point),
    },
  },
});
