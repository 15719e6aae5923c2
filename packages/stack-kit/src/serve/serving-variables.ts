// The variables of a provider that bound what its clients ask of it.
import Type from 'typebox';

/** For a provider whose clients ask: `Type.Object({ ...listenVariables(502), ...servingVariables, … })`. */
export const servingVariables = {
  maxClientRequestsPerSecond: Type.Integer({
    title: 'Requests a second of one client',
    description: 'A client that asks for more waits. Each has a second’s worth at once.',
    default: 2000,
    minimum: 1,
    maximum: 1_000_000,
  }),
  maxRequestsPerSecond: Type.Integer({
    title: 'Requests a second of all clients together',
    description: 'Beyond it they wait, and take turns.',
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
};

export interface ServingVariables {
  readonly maxClientRequestsPerSecond: number;
  readonly maxRequestsPerSecond: number;
}
