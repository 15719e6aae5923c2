// In the editor: what is under the pointer and what is selected has an outline, and a click selects.
import { made } from '../../../parts/picture/marks.ts';
import { measure } from '../../../parts/picture/measure.ts';
import type { PictureRuntime } from '../../../parts/picture/picture-runtime.ts';
import { type ElementPath, pathOf } from './editor-model.ts';

export interface PickedOutline {
  readonly select: (path: ElementPath | undefined) => void;
  readonly end: () => void;
}

export function startPicking(runtime: PictureRuntime, pick: (path: ElementPath) => void): PickedOutline {
  const { root, sources } = runtime.instance;
  const hovered = made('rect', { class: 'picture-picked hovered' });
  const selected = made('rect', { class: 'picture-picked' });
  runtime.marks.root.append(hovered, selected);
  const shown = new Map<ElementPath, SVGGraphicsElement>();
  for (const element of root.querySelectorAll('*')) {
    const source = sources.get(element);
    const path = source && pathOf(source);
    if (path !== undefined && !shown.has(path) && element instanceof SVGGraphicsElement) shown.set(path, element);
  }
  const outline = (rect: SVGElement, element: SVGGraphicsElement | undefined) => {
    const box = element === undefined ? undefined : measure(root, [element]).get(element)?.inPicture;
    rect.toggleAttribute('hidden', box === undefined);
    for (const [name, value] of Object.entries(box ?? {})) rect.setAttribute(name, String(value));
  };
  const listening = new AbortController();
  const { signal } = listening;
  const onMove = ({ target }: Event) => outline(hovered, pickedOf(target, root, sources));
  root.addEventListener('pointerover', onMove, { signal });
  root.addEventListener('pointerleave', () => outline(hovered, undefined), { signal });
  const onClick = (event: MouseEvent) => {
    const picked = pickedOf(event.target, root, sources) ?? pickedOf(runtime.boundAt(event) ?? null, root, sources);
    const source = sources.get(picked ?? root);
    if (source !== undefined) pick(pathOf(source));
  };
  root.addEventListener('click', onClick, { signal });
  return {
    select: (path) => outline(selected, path === undefined ? undefined : shown.get(path)),
    end: () => {
      listening.abort();
      hovered.remove();
      selected.remove();
    },
  };
}

/** Of what a `use` repeats, the `use`. */
function pickedOf(
  target: EventTarget | null,
  root: SVGSVGElement,
  sources: WeakMap<Element, Element>,
): SVGGraphicsElement | undefined {
  let found: SVGGraphicsElement | undefined;
  for (
    let each = target instanceof Element ? target : null;
    each !== null && each !== root;
    each = each.parentElement
  ) {
    const isUse = sources.get(each)?.localName === 'use';
    if (each instanceof SVGGraphicsElement && (found === undefined || isUse) && sources.has(each)) found = each;
  }
  return found;
}
