/** Reads tables that strangers wrote and computes every number of a run. Started by compute.ts, confined. */
import { runConfinedWork } from '#platform/confined-process'
import { type ComputeWork, runComputation } from './computed.ts'

await runConfinedWork<ComputeWork>((work) => runComputation(work, process.argv[2]))
