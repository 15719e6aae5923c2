// Where the interfaces are: the catalogue has the default paths, settings may have others.
import type { HttpForm } from '@telltale/schema';

/** The paths of the interfaces, which replace those in the catalogue. */
export interface InterfacePaths {
  readonly data: string;
  readonly config: string;
  readonly access: string;
}

export const defaultPaths: InterfacePaths = { data: '/data', config: '/config/v2', access: '/access' };

export function pathOf({ path }: HttpForm, { data, config, access }: InterfacePaths): string {
  return path
    .replace(/^\/data(?=\/)/, data)
    .replace(/^\/config\/v2(?=\/)/, config)
    .replace(/^\/access(?=\/)/, access);
}
