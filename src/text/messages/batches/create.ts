/** Creates a batch: every row is checked as `/v1/messages` checks it before anything is stored, and each row becomes a job. */
import { type AppliedField, acceptOnce, reference } from '#core/calls'
import { type FieldReport, setFieldHeaders } from '#core/text'
import { Failure, fail } from '#platform/errors'
import { baseUrlOf, type JsonText, type RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { Slice } from '#platform/slices'
import type { MessagesApp } from '../app.ts'
import { requireAnswerable } from '../create.ts'
import { type Dialect, dialectOf } from '../versions.ts'
import { batchObject } from './batch.ts'
import { reasons } from './phrases.ts'
import { rowJob } from './row.ts'
import type { BatchBody } from './schema.ts'
import { type BatchRow, countOpen, insertBatch, insertRows } from './store.ts'

/** Bytes of one row's params, as many as the body of `/v1/messages` may have. */
const rowLimit = 4 * 1024 * 1024
/** Batches in progress of one account: bounds what an account may store without paying. */
const maxOpen = 100
const hourMs = 60 * 60 * 1000
/** Rows that have not begun after this time expire. */
const processingMs = 24 * hourMs
const retentionMs = 29 * 24 * hourMs

export async function createBatch(context: RequestContext<MessagesApp, BatchBody>): Promise<JsonText> {
  const { app, body } = context
  const dialect = dialectOf(context)
  const { params, report } = await checkRows(context, dialect)
  const batch = newBatch(context, dialect)
  const { account_id: accountId, batch_id: batchId } = batch
  const accept = { endpoint: '/v1/messages/batches', statusCode: 200, now: batch.created_at }
  const reply = await acceptOnce(context, accept, async (tx) => {
    if ((await countOpen(tx, accountId)) >= maxOpen) fail('TOO_MANY_BATCHES', { max: maxOpen })
    await insertBatch(tx, batch)
    await insertRows(
      tx,
      batch,
      body.requests.map(({ custom_id }) => custom_id),
      params,
    )
    const rows = params.map((_, position) => ({ accountId, data: { batchId, position } }))
    await app.jobs.enqueue(tx, rowJob, ...rows)
    return batchObject(batch, baseUrlOf(context))
  })
  setFieldHeaders(context, report)
  return reply
}

function newBatch(
  context: RequestContext<Pick<MessagesApp, 'clock'>, BatchBody>,
  { version, betas }: Dialect,
): BatchRow {
  const { app, body, caller } = context
  const nowMs = app.clock.nowMs()
  return {
    account_id: caller.accountId,
    batch_id: uuidv7(nowMs),
    project_id: caller.projectId,
    key_id: caller.keyId,
    version,
    betas,
    language: context.language,
    customer_id: reference(context, 'X-Customer-ID') ?? null,
    reference_id: reference(context, 'X-Reference-ID') ?? null,
    total: body.requests.length,
    succeeded: 0,
    errored: 0,
    canceled: 0,
    expired: 0,
    created_at: new Date(nowMs),
    deadline: new Date(nowMs + processingMs),
    cancel_initiated_at: null,
    ended_at: null,
    expires_at: new Date(nowMs + retentionMs),
    archived_at: null,
  }
}

/** Checks all rows and returns their params as JSON. Yields to other requests in between. */
async function checkRows(
  context: RequestContext<MessagesApp, BatchBody>,
  dialect: Dialect,
): Promise<{ params: string[]; report: FieldReport }> {
  const seen = new Set<string>()
  const texts: string[] = []
  const report: FieldReport = { ignored: [], clamped: [], mapped: [] }
  const slice = new Slice()
  for (const [index, { custom_id: customId, params }] of context.body.requests.entries()) {
    const at = `requests.${index}`
    if (seen.has(customId))
      fail('INVALID_REQUEST', { why: reasons.twice(customId) }, { param: `${at}.custom_id` })
    seen.add(customId)
    if (params.stream === true)
      fail('INVALID_REQUEST', { why: reasons.noStream }, { param: `${at}.params.stream` })
    const text = JSON.stringify(params)
    if (Buffer.byteLength(text) > rowLimit)
      fail('BODY_TOO_LARGE', { limitBytes: rowLimit }, { param: `${at}.params` })
    addRowReport(
      report,
      `${at}.params`,
      withParamPrefix(`${at}.params`, () => requireAnswerable(context, params, dialect)),
    )
    texts.push(text)
    if (slice.isOver()) await slice.next()
  }
  return { params: texts, report }
}

/** Adds the report of a row, with the row's path before each field. */
function addRowReport(all: FieldReport, rowKey: string, { ignored, clamped, mapped }: FieldReport): void {
  const placed = ({ param, applied }: AppliedField): AppliedField => ({
    param: `${rowKey}.${param}`,
    applied,
  })
  all.ignored.push(...ignored.map((field) => `${rowKey}.${field}`))
  all.clamped.push(...clamped.map(placed))
  all.mapped.push(...mapped.map(placed))
}

/** Runs `check` and puts the row's path before the field that a failure names. */
function withParamPrefix<Found>(rowKey: string, check: () => Found): Found {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { param } = error.more
    throw new Failure(error.code, error.detail, {
      ...error.more,
      param: param === undefined ? rowKey : isHeader(param) ? param : `${rowKey}.${param}`,
    })
  }
}

const isHeader = (param: string): boolean => param.startsWith('anthropic-')
