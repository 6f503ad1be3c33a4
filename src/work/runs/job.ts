/** The job of a run: one worker at a time executes it until it ends or another worker takes it over. */
import type { TurnApp } from '#core/inference'
import type { Model } from '#core/models'
import { Failure, fail, isTemporary } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { JobDelay, JobRun } from '#platform/jobs'
import { reportSettlement } from '#platform/ledger'
import { FailedStep, LostStep, OutOfCredits, type PipelineResult } from '#work/pipelines'
import { job, type RunJobApp } from './app.ts'
import { claimRun, release, reschedule } from './claim.ts'
import { endRun, type RunEnd } from './end.ts'
import { Journal } from './journal/journal.ts'
import { endings } from './phrases.ts'
import { RunLease, RunStopped, runDisks } from './run-lease.ts'
import { openStepContext } from './step-context.ts'
import { lockLeased, type RunRow } from './store.ts'
import { taskOf } from './task.ts'
import { watchRun } from './watch.ts'

export const runJob = job<{ runId: string }>({
  name: 'work.run',
  writes: runDisks,
  limits: ({ work }) => ({ perAccount: work.runsPerAccount, perProcess: work.runsPerProcess }),
  handle: (run) => withLease(run, execute),
  setAside: (run) => withLease(run, (lease) => endLeasedRun(lease, knownEnd(lease) ?? interruptedEnd)),
})

async function withLease(
  { app, accountId, data, stopping, signal, trace, progressed }: JobRun<{ runId: string }, RunJobApp>,
  work: (lease: RunLease) => Promise<JobDelay | undefined>,
): Promise<JobDelay | undefined> {
  if (stopping.aborted || signal.aborted) return { laterMs: 0 }
  const owner = uuidv7()
  const run = await claimRun(app, { accountId, runId: data.runId }, owner)
  if (!run) return undefined
  trace.span?.set({ 'kherad.run_id': run.run_id, 'kherad.work.kind': run.kind })
  using lease = new RunLease({ app, run, owner, stopping, signal, trace, progressed })
  return await work(lease)
}

async function execute(lease: RunLease): Promise<JobDelay | undefined> {
  const { app, run } = lease
  const known = knownEnd(lease)
  if (known) return endLeasedRun(lease, known)
  try {
    const { caller, model } = await requireCallerAndModel(app.turns, run)
    lease.allowed = caller.models
    return await runPipeline(lease, model)
  } catch (error) {
    if (!(error instanceof Failure) || isTemporary(error)) throw error
    // The key of the run was revoked or restricted, or the model is gone.
    return endLeasedRun(lease, refusedEnd(error))
  }
}

/** The end of a run that was cancelled or is past its deadline; undefined otherwise. */
function knownEnd({ app, run }: RunLease): RunEnd | undefined {
  if (run.cancel_requested_at) return cancelledEnd
  return run.deadline.getTime() <= app.clock.nowMs() ? overtimeEnd : undefined
}

/** Two workers in a row died before a step was done: the run itself is assumed to be the cause. */
const interruptedEnd: RunEnd = { status: 'failed', words: endings.interrupted, code: 'WORK_INTERRUPTED' }
const refusedEnd = ({ code }: Failure): RunEnd => ({ status: 'failed', words: endings.refused(code), code })
const cancelledEnd: RunEnd = { status: 'cancelled', words: endings.cancelled }
export const overtimeEnd: RunEnd = { status: 'failed', words: endings.overtime, code: 'WORK_TIME_LIMIT' }

async function requireCallerAndModel(
  { keys, models }: Pick<TurnApp, 'keys' | 'models'>,
  { account_id, key_id, model: id }: RunRow,
) {
  const caller = await keys.callerOf(account_id, key_id)
  const model = models.find(id)
  if (model?.kind !== 'text') fail('MODEL_NOT_FOUND', { model: id })
  return { caller, model }
}

/** Runs the pipeline from its beginning; steps that are in the journal return their recorded results. */
async function runPipeline(lease: RunLease, model: Model): Promise<JobDelay | undefined> {
  const { app, run } = lease
  using _watched = watchRun(app, lease)
  const journal = new Journal(lease)
  const task = taskOf(run)
  let ending: RunEnd
  try {
    const context = openStepContext({ lease, journal, task, model })
    ending = endOf(await Promise.race([app.pipelines[run.kind].run(context), rejectAfterGrace(lease)]))
  } catch (error) {
    if (lease.stopReason) lease.isIncomplete = true
    ending = lease.stopReason ? cancelledEnd : failureOf(app, run, error)
  }
  if (lease.stopReason) lease.abort(lease.stopReason)
  await journal.whenSettled()
  return lease.stopReason && (lease.isIncomplete || lease.stopReason === 'cancelled')
    ? endOrHandOver(lease)
    : endLeasedRun(lease, ending)
}

const rejectAfterGrace = ({ signal, app }: RunLease): Promise<never> =>
  new Promise((_, reject) => {
    const { abortGraceMs } = app.config.timing
    const wait = (): unknown => setTimeout(reject, abortGraceMs, signal.reason).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })

/** Ends or hands over a run that stopped before its pipeline finished. */
async function endOrHandOver(lease: RunLease): Promise<JobDelay | undefined> {
  switch (lease.stopReason!) {
    case 'cancelled':
      return endLeasedRun(lease, cancelledEnd)
    case 'overtime':
      return endLeasedRun(lease, overtimeEnd)
    case 'refused':
      return endLeasedRun(lease, refusedEnd(lease.failure!))
    case 'waiting':
      await ignoreLostLease(lease.persist(() => reschedule(lease)))
      return { laterMs: lease.retryMs }
    case 'handover':
      await ignoreLostLease(lease.persist(() => release(lease)))
      return { laterMs: 0 }
    case 'superseded':
      return undefined
  }
}

async function endLeasedRun(lease: RunLease, outcome: RunEnd): Promise<undefined> {
  const { app, run, leaseKey } = lease
  const ending = lease.persist(() =>
    app.db.tx(async (tx) => {
      const now = await lockLeased(tx, leaseKey)
      return endRun(app, tx, now, now.cancel_requested_at ? cancelledEnd : outcome)
    }),
  )
  const settled = await ignoreLostLease(ending)
  if (settled) reportSettlement(app, run.receipt_id, settled)
  return undefined
}

/** Ignores a lost lease: the worker that has the run now ends it. A commit whose reply was lost looks the same. */
const ignoreLostLease = <Value>(write: Promise<Value>): Promise<Value | undefined> =>
  write.catch((error: unknown) => {
    if (error instanceof RunStopped) return undefined
    throw error
  })

const endOf = ({ isComplete, words }: PipelineResult): RunEnd => ({
  status: 'succeeded',
  words,
  partial: !isComplete,
})

function failureOf({ log }: Pick<RunJobApp, 'log'>, run: RunRow, error: unknown): RunEnd {
  const failed = { status: 'failed' as const }
  if (error instanceof OutOfCredits)
    return { ...failed, words: endings.outOfCredits, code: 'WORK_OUT_OF_CREDITS' }
  if (error instanceof LostStep)
    return { ...failed, words: endings.lost(error.step), code: 'AMBIGUOUS_RESULT' }
  if (error instanceof FailedStep)
    return { ...failed, words: endings.stepFailed(error.step, error.code), code: error.code }
  if (error instanceof Failure) return refusedEnd(error)
  log.error({ err: error, run_id: run.run_id, kind: run.kind }, 'a pipeline broke')
  return { ...failed, words: endings.broke, code: 'INTERNAL' }
}
