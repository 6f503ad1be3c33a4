/** A run, worked on in the background by one worker at a time until it ends or is handed on. */
import type { App } from '#app'
import type { Model } from '#engine/models'
import { FailedStep, LostStep, type Outcome, OutOfCredits } from '#engine/pipelines'
import { Failure, fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { job, type Later, type Run } from '#platform/jobs'
import { claimRun, release, reschedule } from './claim.ts'
import { countMoney, endRun, type RunEnd } from './end.ts'
import { Journal } from './journal/journal.ts'
import { endings } from './phrases.ts'
import { RunLease, Stopped } from './run-lease.ts'
import { openStepContext } from './step-context.ts'
import { lockHeld, type RunRow } from './store.ts'
import { taskOf } from './task.ts'
import { watchRun } from './watch.ts'

export const runJob = job<{ runId: string }>({
  name: 'work.run',
  limits: ({ work }) => ({ perAccount: work.runsPerAccount, perProcess: work.runsPerProcess }),
  handle: (run) => takeUp(run, workOn),
  setAside: (run) => takeUp(run, (shift) => end(shift, endBefore(shift) ?? interrupted)),
})

async function takeUp(
  { app, accountId, data, stopping, signal, trail, progressed }: Run<{ runId: string }>,
  work: (shift: RunLease) => Promise<Later | undefined>,
): Promise<Later | undefined> {
  if (stopping.aborted || signal.aborted) return { laterMs: 0 }
  const owner = uuidv7()
  const run = await claimRun(app, { accountId, runId: data.runId }, owner)
  if (!run) return undefined
  trail.span?.set({ 'kherad.run_id': run.run_id, 'kherad.work.kind': run.kind })
  using shift = new RunLease({ app, run, owner, stopping, signal, trail, progressed })
  return await work(shift)
}

async function workOn(shift: RunLease): Promise<Later | undefined> {
  const { app, run } = shift
  const known = endBefore(shift)
  if (known) return end(shift, known)
  try {
    const { caller, model } = await answerable(app, run)
    shift.allowed = caller.models
    return await pursue(shift, model)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'SERVICE_UNAVAILABLE') throw error
    // The key that asked for it may ask for no more, or its model is gone.
    return end(shift, refusedBy(error))
  }
}

/** What has to be ended before anything more is done. */
function endBefore({ app, run }: RunLease): RunEnd | undefined {
  if (run.cancel_requested_at) return cancelled
  return run.deadline.getTime() <= app.clock.nowMs() ? overtime : undefined
}

/** Two workers in a row vanished before a step was done: the run itself is taken for the reason. */
const interrupted: RunEnd = { status: 'failed', words: endings.interrupted, code: 'WORK_INTERRUPTED' }
const refusedBy = ({ code }: Failure): RunEnd => ({ status: 'failed', words: endings.refused(code), code })
const cancelled: RunEnd = { status: 'cancelled', words: endings.cancelled }
export const overtime: RunEnd = { status: 'failed', words: endings.overtime, code: 'WORK_TIME_LIMIT' }

async function answerable(app: App, { account_id, key_id, model: id }: RunRow) {
  const caller = await app.keys.callerOf(account_id, key_id)
  const model = app.models.find(id)
  if (model?.kind !== 'text') fail('MODEL_NOT_FOUND', { model: id })
  return { caller, model }
}

/** Runs the pipeline from its beginning, over what the journal knows already. */
async function pursue(shift: RunLease, model: Model): Promise<Later | undefined> {
  const { app, run } = shift
  using _watched = watchRun(app, shift)
  const journal = new Journal(shift)
  const task = taskOf(run)
  let said: RunEnd
  try {
    const desk = openStepContext({ shift, journal, task, model })
    said = endOf(await Promise.race([app.pipelines[run.kind].run(desk), givenUp(shift)]))
  } catch (error) {
    if (shift.why) shift.refused = true
    said = shift.why ? cancelled : failureOf(app, run, error)
  }
  if (shift.why) shift.cut(shift.why)
  await journal.ended()
  return shift.why && (shift.refused || shift.why === 'cancelled') ? stop(shift) : end(shift, said)
}

/** A pipeline that does not listen holds nobody up: what it still writes is refused. */
const deafMs = 10_000

const givenUp = ({ signal }: RunLease): Promise<never> =>
  new Promise((_, reject) => {
    const wait = (): unknown => setTimeout(reject, deafMs, signal.reason).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })

/** The run has to stop before its pipeline is through. */
async function stop(shift: RunLease): Promise<Later | undefined> {
  switch (shift.why!) {
    case 'cancelled':
      return end(shift, cancelled)
    case 'overtime':
      return end(shift, overtime)
    case 'refused':
      return end(shift, refusedBy(shift.failure!))
    case 'waiting':
      await quietly(shift.persist(() => reschedule(shift)))
      return { laterMs: shift.retryMs }
    case 'handover':
      await quietly(shift.persist(() => release(shift)))
      return { laterMs: 0 }
    case 'superseded':
      return undefined
  }
}

async function end(shift: RunLease, how: RunEnd): Promise<undefined> {
  const { app, run, held } = shift
  const ending = shift.persist(() =>
    app.db.tx(async (tx) => {
      const now = await lockHeld(tx, held)
      return endRun(app, tx, now, now.cancel_requested_at ? cancelled : how)
    }),
  )
  const settled = await quietly(ending)
  if (settled) countMoney(app, run, settled)
  return undefined
}

/** Whoever has the run now ends it; a lost reply of our own end looks the same. */
const quietly = <Value>(writing: Promise<Value>): Promise<Value | undefined> =>
  writing.catch((error: unknown) => {
    if (error instanceof Stopped) return undefined
    throw error
  })

const endOf = ({ isWhole, words }: Outcome): RunEnd => ({ status: 'succeeded', words, partial: !isWhole })

function failureOf(app: App, run: RunRow, error: unknown): RunEnd {
  const failed = { status: 'failed' as const }
  if (error instanceof OutOfCredits)
    return { ...failed, words: endings.outOfCredits, code: 'WORK_OUT_OF_CREDITS' }
  if (error instanceof LostStep)
    return { ...failed, words: endings.lost(error.step), code: 'AMBIGUOUS_RESULT' }
  if (error instanceof FailedStep)
    return { ...failed, words: endings.stepFailed(error.step, error.code), code: error.code }
  if (error instanceof Failure) return refusedBy(error)
  app.log.error({ err: error, run_id: run.run_id, kind: run.kind }, 'a pipeline broke')
  return { ...failed, words: endings.broke, code: 'INTERNAL' }
}
