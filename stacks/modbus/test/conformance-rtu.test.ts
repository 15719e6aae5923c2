// The shared suite: the frames of serial lines, over TCP.
import { conformance } from '@telltale/stack-kit/testing';
import { rtuWorld } from './conformance-worlds.ts';

conformance('modbus rtu over tcp', { connector: rtuWorld });
