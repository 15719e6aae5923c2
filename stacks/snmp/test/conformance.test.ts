// The shared suite with version 2c: the connector against the agent of net-snmp through a faulty relay, and the provider.
import { conformance } from '@telltale/stack-kit/testing';
import { connector } from './conformance-connector.ts';
import { provider } from './conformance-provider.ts';

conformance('snmp 2c', { connector, provider });
