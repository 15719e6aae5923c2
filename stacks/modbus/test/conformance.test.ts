// The shared suite: Modbus TCP, and the provider.
import { conformance } from '@telltale/stack-kit/testing';
import { providerWorld, tcpWorld } from './conformance-worlds.ts';

conformance('modbus tcp', { connector: tcpWorld, provider: providerWorld });
