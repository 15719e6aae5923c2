// Whether a change of the configuration is rendered at once, and why: the same input for every such operation.
import { invalidQuery } from '@telltale/schema';

interface RenderingInput {
  readonly render?: boolean | undefined;
  readonly comment?: string | undefined;
}

/** A comment that would not be kept is refused. */
export function renderingOf({ render = false, comment }: RenderingInput): { render: boolean; comment?: string } {
  if (comment === undefined) return { render };
  if (!render) throw invalidQuery('comment', 'is kept with a rendering: it needs render=1');
  return { render, comment };
}
