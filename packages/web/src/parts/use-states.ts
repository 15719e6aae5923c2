// The pushed states of connectors, providers or function modules, as long as a component is on the page.
import { useEffect, useMemo } from 'preact/hooks';
import { type WatchedStates, watchStates } from '../data/watched-states.ts';

export function useStates<Kind extends Parameters<typeof watchStates>[0]>(kind: Kind): WatchedStates<Kind>['states'] {
  const watched = useMemo(() => watchStates(kind), [kind]);
  useEffect(() => watched.end, [watched]);
  return watched.states;
}
