// The shared suite once more, with messages that are signed and encrypted: no garbled one may be believed.
import { conformance } from '@telltale/stack-kit/testing';
import { secured } from './conformance-worlds.ts';

conformance('snmp 3', { connector: secured });
