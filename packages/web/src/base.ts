// Whose page it is: that of the server itself, or of a site at a centre, below the base of the site. It is one of them as long as it
// lives: another site is another page, so that nothing of one is ever taken for the other's.
import { siteBaseOf } from '@telltale/schema/values';
import { options } from 'preact';

/** Such as `/sites/north`; '' of the server itself. */
export const base = siteBaseOf(globalThis.location.pathname);

/** Links of the views lead below it, in a new tab too. Those with `data-outside` lead out of it, and those to documents do. */
export function startBase(): void {
  if (base === '') return;
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: unknown; 'data-outside'?: unknown };
    const isOfView = vnode.type === 'a' && typeof props.href === 'string' && /^\/(?!docs\/|sites\/)/.test(props.href);
    if (isOfView && props['data-outside'] === undefined) props.href = base + props.href;
    before?.(vnode);
  };
}
