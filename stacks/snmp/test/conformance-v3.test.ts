// The shared suite once more, with messages that are signed and encrypted: no garbled one may be believed.
import { conformance } from '@telltale/stack-kit/testing';
import { secured } from './conformance-connector.ts';
import { securedProvider } from './conformance-provider.ts';

conformance('snmp 3', { connector: secured, provider: securedProvider });
