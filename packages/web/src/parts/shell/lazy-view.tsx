// A view that is loaded when it is shown for the first time. A page that was replaced on the server has other files: then
// the page is loaded anew.
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Route, ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';

const loaded = new WeakMap<Route['load'], FunctionComponent<ViewProps>>();

export function lazyView(route: Route, parameters: ViewProps['parameters']) {
  return <LazyView key={route.load} route={route} parameters={parameters} />;
}

function LazyView({ route, parameters }: { readonly route: Route } & ViewProps) {
  const failed = useSignal(false);
  const arrived = useSignal(loaded.has(route.load));
  useEffect(() => {
    let isLeft = false;
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
  }, [route]);
  const View = arrived.value ? loaded.get(route.load) : undefined;
  if (View !== undefined) return <View parameters={parameters} />;
  const { common } = words.value;
  if (!failed.value) return <p class="view quiet">{common.loading}</p>;
  return (
    <div class="view" role="alert">
      <p>{common.failed}</p>
      <button type="button" onClick={() => globalThis.location.reload()}>
        {common.retry}
      </button>
    </div>
  );
}
