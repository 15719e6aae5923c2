// What brings the tables from one version to the next, in order: the first step makes them. A step does the same for ever.
import { roles } from './1-roles.ts';
import { tables } from './1-tables.ts';
import { views } from './1-views.ts';
import { weeks } from './1-weeks.ts';

export const steps: readonly (readonly string[])[] = [[tables, weeks, views, roles]];

/** Of tables that this version of the server reads and writes. */
export const schemaVersion = steps.length;
