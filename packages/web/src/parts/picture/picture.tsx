// Shows a picture and lets people look around in it.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { link } from '../../data/service.ts';
import { words } from '../../words/words.ts';
import { useKeys } from '../keys.ts';
import type { Opens } from './bindings.ts';
import type { Scope } from './parameters.ts';
import { parsePicture } from './parse-picture.ts';
import { PictureRuntime } from './picture-runtime.ts';
import type { PointState } from './point-state.ts';

export interface PictureProps {
  readonly svg: string;
  readonly scope: Scope;
  readonly title: string;
  readonly open?: (opens: Opens, kind: PointState['kind']) => void;
  /** Told of each picture that is made of these, and of its end. */
  readonly onRuntime?: (runtime: PictureRuntime | undefined) => void;
}

export function PictureDrawing({ svg, scope, title, open, onRuntime }: PictureProps) {
  const { pictures } = words.value;
  const host = useRef<HTMLDivElement>(null);
  const runtime = useRef<PictureRuntime | undefined>(undefined);
  const isBroken = useSignal(false);
  const parsed = useMemo(() => parsePicture(svg), [svg]);
  // What could not be asked for while there was no link is asked for when it is there.
  const isLinked = link.value.state === 'connected';
  const wasLinked = useRef(isLinked);
  const turn = useRef(0);
  if (isLinked && !wasLinked.current) turn.current++;
  wasLinked.current ||= isLinked;
  const scopeKey = JSON.stringify([...scope]);
  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    isBroken.value = parsed === undefined;
    if (parsed === undefined) return;
    let made: PictureRuntime | undefined;
    const make = () => {
      if (made !== undefined || place.clientWidth === 0 || place.clientHeight === 0) return;
      try {
        made = new PictureRuntime({ picture: parsed, scope, host: place, title, open });
      } catch (error) {
        isBroken.value = true;
        console.warn('the picture cannot be shown', error);
      }
      runtime.current = made;
      onRuntime?.(made);
    };
    // Nothing has a place before there is room for it.
    const observer = new ResizeObserver(make);
    observer.observe(place);
    return () => {
      observer.disconnect();
      runtime.current = undefined;
      onRuntime?.(undefined);
      made?.end();
    };
  }, [parsed, scopeKey, title, turn.current, open === undefined]);
  useKeys(
    () => [
      { key: '+', text: pictures.zoomIn, run: () => runtime.current?.seen.zoomIn() },
      { key: '-', text: pictures.zoomOut, run: () => runtime.current?.seen.zoomOut() },
      { key: '0', text: pictures.fit, run: () => runtime.current?.seen.fit() },
    ],
    [pictures],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const way = arrows[event.key];
    if (way === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    runtime.current?.seen.moveBy(way[0], way[1]);
  };
  return (
    <div class="picture-frame-around">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrows move what is seen */}
      <section ref={host} class="picture" tabIndex={0} aria-label={title} onKeyDown={onKeyDown} />
      {isBroken.value && (
        <p class="picture-broken error" role="alert">
          {pictures.broken}
        </p>
      )}
      <div class="picture-tools">
        <button
          type="button"
          aria-label={pictures.zoomIn}
          title={`${pictures.zoomIn} (+)`}
          onClick={() => runtime.current?.seen.zoomIn()}
        >
          +
        </button>
        <button
          type="button"
          aria-label={pictures.zoomOut}
          title={`${pictures.zoomOut} (-)`}
          onClick={() => runtime.current?.seen.zoomOut()}
        >
          −
        </button>
        <button
          type="button"
          aria-label={pictures.fit}
          title={`${pictures.fit} (0)`}
          onClick={() => runtime.current?.seen.fit()}
        >
          ⤢
        </button>
      </div>
    </div>
  );
}

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-0.15, 0],
  ArrowRight: [0.15, 0],
  ArrowUp: [0, -0.15],
  ArrowDown: [0, 0.15],
};
