/** Reads tables that strangers wrote and computes every number of a run. Started by compute.ts, confined. */
import { answer } from '#platform/confined-process'
import { type ComputeWork, computed } from './computed.ts'

await answer<ComputeWork>((work) => computed(work, process.argv[2]))
