// Asks several sites for something, some of them at once. What one of them does not answer is missing, and that is said.
import type { IncompleteSite } from '@telltale/schema';
import { incompleteSite, type SeenSite } from './seen-sites.ts';

/** Each may answer with a few megabytes. */
const mostAtOnce = 16;

/** In the order of the sites. `isEnough`: no more of them are asked. */
export async function eachSite<T>(
  sites: readonly SeenSite[],
  signal: AbortSignal,
  ask: (site: SeenSite) => Promise<T>,
  isEnough: () => boolean = () => false,
): Promise<{ readonly good: T[]; readonly incomplete: IncompleteSite[]; readonly isAll: boolean }> {
  const [good, incomplete] = [new Map<SeenSite, T>(), new Map<SeenSite, IncompleteSite>()];
  const left = sites.values();
  let isAll = true;
  const work = async () => {
    for (const site of left) {
      if (signal.aborted || isEnough()) {
        isAll = false;
        return;
      }
      try {
        good.set(site, await ask(site));
      } catch (error) {
        incomplete.set(site, incompleteSite(site, site.error ?? (error as Error).message));
      }
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, work));
  const inOrder = <V>(found: ReadonlyMap<SeenSite, V>) => sites.flatMap((site) => found.get(site) ?? []) as V[];
  return { good: inOrder(good), incomplete: inOrder(incomplete), isAll };
}

/** As the query of a request to a site. */
export function queryOf(inputs: Readonly<Record<string, unknown>>): string {
  return Object.entries(inputs)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name}=${[value]
          .flat()
          .map((each) => encodeURIComponent(`${each}`))
          .join()}`,
    )
    .join('&');
}
