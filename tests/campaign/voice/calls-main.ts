/**
 * A separate process with a call whose steps follow one another, for tests that kill it. Takes its task as one JSON argument; writes `begun`
 * when a step's row is committed, as its upstream would be called then, and `done` with its number when its cost is written.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Payer } from '#platform/ledger'
import { costing, startCall } from '../../voice/calls.ts'
import { openCallsProcess } from './calls-process.ts'

export interface CallJob {
  databaseUrl: string
  leaseMs: number
  payer: Payer
  /** What each step takes, and what it costs. */
  worst: number
  cost: number
  /** So many are done; the next is under way until the process is killed. */
  steps: number
}

const job = JSON.parse(process.argv[2]!) as CallJob
await using calls = await openCallsProcess(job)
const call = await startCall(calls, { payer: job.payer, held: BigInt(job.worst) })
await call.money.connected()
for (let at = 0; at <= job.steps; at++) {
  await call.money.reserve(BigInt(job.worst))
  const step = await call.money.step({ kind: 'text', model: 'sandbox/fast', worst: BigInt(job.worst) })
  process.stdout.write('begun\n')
  if (at === job.steps) await pause(600_000)
  step.done(costing(BigInt(job.cost)), { quantities: {} })
  await call.money.writeEnds()
  process.stdout.write('done\n')
}
