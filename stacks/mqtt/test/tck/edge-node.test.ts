import { before, describe } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { withoutMosquitto } from '../mosquitto.ts';
import { messagesHold } from './edge-node-messages.ts';
import { metricsHold } from './edge-node-metrics.ts';
import { LivedEdgeNode } from './lived-edge-node.ts';

describe('an edge node, by the statements of Sparkplug 3.0', { skip: withoutMosquitto }, () => {
  const cleanup = suiteCleanup();
  const life = new LivedEdgeNode();
  before(() => life.live(cleanup));

  messagesHold(life);
  metricsHold(life);
});
