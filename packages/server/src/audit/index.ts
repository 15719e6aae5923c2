// The audit trail: who did what, on disk, chained and signed.
export type { AuditEntry } from './audit-entry.ts';
export { AuditTrail, type AuditTrailOptions } from './audit-trail.ts';
export { csvHeader, csvOf } from './csv.ts';
export type { Head } from './protocol.ts';
export { readSyslogTarget, Syslog } from './syslog.ts';
export type { Position, TrailFilter, TrailQuery } from './trail-query.ts';
export { keyName, trailFolder } from './trail-writer.ts';
export { verifyTrail } from './verify-trail.ts';
