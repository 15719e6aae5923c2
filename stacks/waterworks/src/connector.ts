// The connector of the waterworks: that of the simulator with the process model, whose tags can be browsed.
import type { Connector, ConnectorOptions } from '@telltale/stack-kit';
import { createConnector as createSimulator, type Variables } from '@telltale/stack-simulator/connector';
import type { Model } from '@telltale/stack-simulator/model';
import { browseTags } from './browse-tags.ts';
import { Waterworks } from './plant.ts';
import { waterworksPoints } from './plant-points.ts';

export function createConnector(options: ConnectorOptions<Variables>): Connector {
  return Object.assign(createSimulator(options, createModel), {
    browse: async (request) => browseTags(request),
  } satisfies Pick<Connector, 'browse'>);
}

function createModel(seed: number, startSeconds: number): Model {
  const plant = new Waterworks(seed, startSeconds);
  return { advance: (seconds) => plant.advance(seconds), ...waterworksPoints(plant) };
}
