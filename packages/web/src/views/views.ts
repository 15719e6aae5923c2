// The views that are loaded together.
export { default as access } from './access/access-view.tsx';
export { default as alarms } from './alarms/alarms-view.tsx';
export { default as archive } from './archive/archive-view.tsx';
export { default as audit } from './audit/audit-view.tsx';
export { default as config } from './config/config-view.tsx';
export { default as connectors } from './connectors/connectors-view.tsx';
export { default as forced } from './forced/forced-view.tsx';
export { default as modules } from './modules/modules-view.tsx';
export { default as pictures } from './pictures/pictures-view.tsx';
export { default as point } from './point/point-view.tsx';
export { default as points } from './points/points-view.tsx';
export { default as sites } from './sites/sites-view.tsx';
export { default as system } from './system/system-view.tsx';
export { default as trends } from './trends/trends-view.tsx';
