// The configuration of a site as the nodes keep it in etcd.
import type { RenderingBytes } from '../rendering.ts';

/** Families of what is in etcd; `configuration` has `head` and `whole`, the others a number each. */
export const siteFamilies = ['configuration', 'configuration-changes', 'revisions'] as const;

/** Undefined: there is none any more. */
export interface SiteBytes {
  readonly family: (typeof siteFamilies)[number];
  readonly name: string;
  readonly bytes: RenderingBytes | undefined;
}

/** The newest change. */
export interface SiteHead {
  readonly number: number;
  /** Of the database, after it. */
  readonly digest: string;
  /** Up to which change all there is has it. */
  readonly whole: number;
  /** Of the changes behind that. */
  readonly bytes: number;
}
