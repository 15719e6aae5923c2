import { conformance } from '@telltale/stack-kit/testing';
import { edgeNode } from './conformance-worlds.ts';

conformance('mqtt with sparkplug', { provider: edgeNode });
