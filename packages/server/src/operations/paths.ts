// Where the interfaces are: the catalogue has the default paths, settings may have others.
import type { HttpForm } from '@telltale/schema';

/** Where the interfaces are, in the place of the paths that the catalogue has. */
export interface InterfacePaths {
  readonly data: string;
  readonly config: string;
}

export const defaultPaths: InterfacePaths = { data: '/data', config: '/config/v2' };

export function pathOf({ path }: HttpForm, { data, config }: InterfacePaths): string {
  return path.replace(/^\/data(?=\/)/, data).replace(/^\/config\/v2(?=\/)/, config);
}
