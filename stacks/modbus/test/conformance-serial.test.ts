// The shared suite: a serial line.
import { conformance } from '@telltale/stack-kit/testing';
import { serialWorld } from './conformance-worlds.ts';

conformance('modbus on a serial line', { connector: serialWorld });
