/** Realtime calls: their parts, their records and their money (docs/decisions/0087-one-hold-that-rolls.md). */

export { callIdOf, callName } from './call-id.ts'
export { modelsOfPipeline, type PipelineModels } from './engines/pipeline/models.ts'
export { Pipeline, type PipelineOptions } from './engines/pipeline/pipeline.ts'
export type { PipelineSettings } from './engines/pipeline/settings.ts'
export { worstOfTurn } from './engines/pipeline/worst.ts'
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
