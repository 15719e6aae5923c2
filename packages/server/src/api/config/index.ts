// The configuration interface, version 2.
import type { Route } from '../route.ts';
import { type DatabaseRoutesOptions, databaseRoutes } from './database.ts';
import { type ExecutableRoutesOptions, executableRoutes } from './executables.ts';
import { type FamilyRoutesOptions, familyRoutes } from './families.ts';
import { type StackCatalogue, stackRoutes } from './stacks.ts';

export type ConfigRoutesOptions = FamilyRoutesOptions &
  DatabaseRoutesOptions &
  ExecutableRoutesOptions & { readonly stacks: StackCatalogue };

export function configRoutes(options: ConfigRoutesOptions): Route[] {
  return [...familyRoutes(options), ...stackRoutes(options), ...databaseRoutes(options), ...executableRoutes(options)];
}

export type { Losses } from './database.ts';
export type { StackCatalogue } from './stacks.ts';
