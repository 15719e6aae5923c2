// The data-access interface, version 1.
export { DataAccess } from './data-access.ts';
export { dataRoutes } from './routes.ts';
