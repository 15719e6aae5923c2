// Whether a page is accessible by WCAG 2.2, levels A and AA, as far as axe-core can tell.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  /** Those that another theme can break. */
  colours: ['color-contrast', 'link-in-text-block'],
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A text each. Run in a world of its own, which the policy of the page does not reach. */
export async function violationsOf(page: Page, which: keyof typeof rules = 'all'): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId: world.executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description);
    return result.value;
  };
  await run(`${axe}; undefined`);
  const found = (await run(
    `axe.run(document, { runOnly: ${JSON.stringify(rules[which])}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Violation[];
  await session.detach();
  return found.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => id !== 'label-content-name-mismatch' || !isValueInPicture(html))
      .map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/**
 * Besides what is written there for good, which its name has, its text is no label but a value that changes: in its name it has the
 * precision of its point, and changes less often, for those who are read to.
 */
const isValueInPicture = (html: string) => html.includes('picture-opens');
