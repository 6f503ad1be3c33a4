/** Accepts work: the run, its hold, its claim and its job are stored together, or none of them is. */

import { dataTypes, type NamedFile, requireFiles } from '#account/files'
import type { Model } from '#core/models'
import type { Caller } from '#platform/auth'
import { fail, type Language } from '#platform/errors'
import { JsonText } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { type Claim, creditsUp, holdInTx } from '#platform/ledger'
import { requireKnowledge } from '#work/knowledge'
import { type WorkKind, workKinds } from '#work/pipelines'
import type { RunsApp } from './app.ts'
import { recordEvent } from './events/store.ts'
import { runJob } from './job.ts'
import { languageOfText } from './language.ts'
import { reasons } from './phrases.ts'
import { worstCaseOfPlan } from './price.ts'
import type { AcceptedRun } from './schema.ts'
import { countOpen, insertRun, type NewRun } from './store.ts'
import { taskOf } from './task.ts'

export interface AcceptOptions {
  caller: Caller
  requestId: string
  claim?: Claim | undefined
  /** The endpoint on the receipt, such as `/v1/work`. */
  endpoint: string
  /** The address at which the caller reaches this server. */
  baseUrl: string
  /** The language of errors. */
  language: Language
  kind: WorkKind
  input: string
  title?: string | undefined
  instructions?: string | undefined
  model: Model
  agentId?: string | undefined
  knowledgeId?: string | undefined
  fileIds?: readonly string[] | undefined
  /** The most whole credits that the run may cost. */
  maxCredits?: number | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
}

/** Open runs of one account; each holds credits and takes storage. */
const maxOpen = 100
/** A run that has not started after this time is ended. */
const queueMs = 24 * 60 * 60 * 1000

/**
 * Holds the worst case of the run, puts the run into the queue and returns the body of the 202 answer. Throws what `Ledger.hold` throws,
 * TOO_MANY_RUNS (429), FILE_NOT_FOUND (404), and the errors for which the pipeline or the knowledge project refuses the task.
 */
export async function acceptRun(app: RunsApp, options: AcceptOptions): Promise<JsonText> {
  const { caller, requestId, claim, endpoint, model, knowledgeId } = options
  if (knowledgeId !== undefined) await requireKnowledge(app.knowledge, { ...caller, knowledgeId })
  const run = withinBudget(app, options, newRun(app, options, await filesOf(app, options)))
  const microcredits = run.held
  const reply = JSON.stringify(acceptedOf(run, options))
  await app.db.tx(async (tx) => {
    // The hold comes first, so that a repeated request gets its answer whatever has changed since, and the count is exact.
    const hold = {
      payer: caller,
      receiptId: requestId,
      endpoint,
      model: model.id,
      microcredits,
      claim,
      customerId: options.customerId,
      referenceId: options.referenceId,
      accepted: { statusCode: 202, reply },
    }
    await holdInTx(tx, hold, run.created_at)
    if ((await countOpen(tx, caller.accountId)) >= maxOpen) fail('TOO_MANY_RUNS', { max: maxOpen })
    await insertRun(tx, run)
    await recordEvent(tx, { accountId: run.account_id, runId: run.run_id }, 'queued', {}, run.created_at)
    await app.jobs.enqueue(tx, runJob, {
      accountId: run.account_id,
      data: { runId: run.run_id },
      singletonKey: run.run_id,
    })
  })
  app.metrics.heldMicrocredits.inc(Number(microcredits))
  return new JsonText(reply)
}

/** Refuses files that the kind of work would not read, before credits are held. */
async function filesOf(
  app: Pick<RunsApp, 'clock' | 'db'>,
  { caller, kind, fileIds = [] }: AcceptOptions,
): Promise<NamedFile[]> {
  if (fileIds.length > 0 && !workKinds.some(({ name, readsFiles }) => name === kind && readsFiles))
    fail('INVALID_REQUEST', { why: reasons.filesOfData }, { param: 'file_ids' })
  const files = await requireFiles(app, caller, fileIds)
  const index = files.findIndex(({ mediaType }) => !dataTypes.includes(mediaType))
  if (index >= 0)
    fail('INVALID_REQUEST', { why: reasons.noData(files[index]!.mediaType) }, { param: `file_ids.${index}` })
  return files
}

/** The run at the greatest depth that the caller's budget pays for, or at depth 1 without a budget; `held` is its worst case. */
function withinBudget(
  app: Pick<RunsApp, 'pipelines' | 'turns'>,
  { kind, model, caller, maxCredits }: AcceptOptions,
  drafted: NewRun,
): NewRun {
  const pipeline = app.pipelines[kind]
  const runAtDepth = (depth: number): NewRun => {
    const run = { ...drafted, depth }
    const plan = pipeline.plan(taskOf(run))
    return { ...run, held: worstCaseOfPlan(app.turns, { model, allowed: caller.models }, plan) }
  }
  const defaultRun = runAtDepth(1)
  if (maxCredits === undefined) return defaultRun
  const max = BigInt(maxCredits) * 1_000_000n
  if (defaultRun.held > max)
    fail('INVALID_REQUEST', { why: reasons.budget(creditsUp(defaultRun.held)) }, { param: 'max_credits' })
  for (let depth = pipeline.maxDepth ?? 1; depth > 1; depth -= 1) {
    const run = runAtDepth(depth)
    if (run.held <= max) return run
  }
  return defaultRun
}

function newRun(app: Pick<RunsApp, 'clock'>, options: AcceptOptions, files: NamedFile[]): NewRun {
  const { caller, model } = options
  const nowMs = app.clock.nowMs()
  return {
    account_id: caller.accountId,
    run_id: uuidv7(nowMs),
    project_id: caller.projectId,
    key_id: caller.keyId,
    receipt_id: options.requestId,
    agent_id: options.agentId ?? null,
    knowledge_id: options.knowledgeId ?? null,
    files,
    kind: options.kind,
    title: options.title ?? null,
    input: options.input,
    instructions: options.instructions || null,
    language: languageOfText(options.input),
    model: model.id,
    sandbox: model.sandbox || model.deployments.some(({ provider }) => provider === 'sandbox'),
    depth: 1,
    held: 0n,
    created_at: new Date(nowMs),
    deadline: new Date(nowMs + queueMs),
  }
}

const acceptedOf = ({ run_id: id, held }: NewRun, { baseUrl, requestId }: AcceptOptions): AcceptedRun => ({
  id,
  object: 'run',
  status: 'queued',
  status_url: `${baseUrl}/v1/work/${id}`,
  files_url: `${baseUrl}/v1/work/${id}/files`,
  reserved_credits: creditsUp(held),
  request_id: requestId,
})
