import { conformance } from '@telltale/stack-kit/testing';
import { connector, provider } from './conformance-worlds.ts';

conformance('mqtt 5', { connector, provider });
