import { conformance } from '@telltale/stack-kit/testing';
import { connector } from './conformance-worlds.ts';

conformance('mqtt 3.1.1', {
  connector: {
    ...connector,
    variables: (device) => ({ ...connector.variables(device), version: '3.1.1' }),
    refused: 'a broker of MQTT 3.1.1 does not report that there is no subscriber',
  },
});
