/** Reads tables that strangers wrote and computes every number of a run. Started by compute.ts, confined. */
import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'
import { type ComputeWork, computed } from './computed.ts'

const work = deserialize(await buffer(process.stdin)) as ComputeWork
process.stdout.write(JSON.stringify(await computed(work, process.argv[2])), () => process.exit(0))
