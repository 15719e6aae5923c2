// A view that is loaded when it is shown for the first time: again when the link is back, where that failed without one. A page
// that was replaced on the server has other files: then the page is loaded anew. What a view throws ends at it: alarms, the link
// and the ways to other views stay.
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { link } from '../../data/service.ts';
import type { Route, ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';

const loaded = new WeakMap<Route['load'], FunctionComponent<ViewProps>>();

export function lazyView(route: Route, parameters: ViewProps['parameters']) {
  return <LazyView key={route.load} route={route} parameters={parameters} />;
}

function LazyView({ route, parameters }: { readonly route: Route } & ViewProps) {
  const failed = useSignal(false);
  const [fault, goOn] = useErrorBoundary((error) => console.error('the view cannot be shown', error));
  useEffect(() => {
    if (fault !== undefined) goOn();
  }, [parameters]);
  const arrived = useSignal(loaded.has(route.load));
  const isConnected = link.value.state === 'connected';
  useEffect(() => {
    if (arrived.peek()) return;
    let isLeft = false;
    failed.value = false;
    route.load().then(
      (view) => {
        loaded.set(route.load, view);
        if (!isLeft) arrived.value = true;
      },
      () => {
        if (!isLeft) failed.value = true;
      },
    );
    return () => {
      isLeft = true;
    };
  }, [route, isConnected]);
  const View = arrived.value && fault === undefined ? loaded.get(route.load) : undefined;
  if (View !== undefined) return <View parameters={parameters} />;
  const { common, shell } = words.value;
  if (!failed.value && fault === undefined) return <p class="view quiet">{common.loading}</p>;
  if (!isConnected && fault === undefined) {
    return (
      <p class="view" role="alert">
        {shell.notLoaded}
      </p>
    );
  }
  return (
    <div class="view" role="alert">
      <p>{fault === undefined ? shell.replaced : common.failed}</p>
      <div class="row">
        <button type="button" onClick={() => globalThis.location.reload()}>
          {common.retry}
        </button>
      </div>
    </div>
  );
}
