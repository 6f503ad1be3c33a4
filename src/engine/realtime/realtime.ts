/** Realtime calls: their parts, their records and their money (docs/decisions/0087-one-hold-that-rolls.md). */

export { callIdOf, callName } from './call-id.ts'
export { readClientEvent } from './events/client-events.ts'
export { errorEvent, newId, sessionFields } from './events/server-events.ts'
export { type CallSettings, freshSettings, updateSession } from './events/session-update.ts'
export type * from './parts.ts'
export {
  deleteProcess,
  type FreeProcess,
  freeProcesses,
  type ProcessRow,
  writeProcess,
} from './process-store.ts'
export {
  type ClientSecretRow,
  findClientSecret,
  insertClientSecret,
  takeClientCall,
} from './secret-store.ts'
export { CallSession, type SessionOptions } from './session.ts'
export {
  askEnd,
  type CallKey,
  type CallRow,
  type CallStatus,
  type EngineName,
  listCalls,
  readCall,
  runningOf,
  writeConnected,
} from './store.ts'
