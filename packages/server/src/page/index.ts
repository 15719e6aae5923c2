// The page for browsers.
export { Page } from './page.ts';
