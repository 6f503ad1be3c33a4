/** The audit log: who changed access, money or settings, and what, in append-only rows (docs/decisions/account/audit.md). */
export type { AuditContext } from './app.ts'
export { addressWithoutPath } from './bounds.ts'
export { auditedCaps } from './caps.ts'
export { type Actor, type AuditEntry, type AuditTarget, actorOf, audit, auditRequest } from './entry.ts'
export { type ActorKind, type AuditFilter, actorKinds, type EntryRow, listAudit } from './store.ts'
