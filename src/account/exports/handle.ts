import { auditRequest } from '#account/audit'
import { lockPerson } from '#account/people'
import { fail } from '#platform/errors'
import { attachment, content, HttpAnswer, requirePerson } from '#platform/http'
import { isUuid, uuidv7 } from '#platform/ids'
import { platformAccount } from '#platform/jobs'
import { bareList } from '#platform/lists'
import { failLost } from '#platform/storage'
import type { ExportContext } from './app.ts'
import { exportJob } from './make.ts'
import type { PersonExport } from './schema.ts'
import * as store from './store.ts'
import './phrases.ts'

const dayMs = 24 * 60 * 60 * 1000
/** How many exports a person may begin in 24 hours. */
const maxPerDay = 3

type OneExport = ExportContext<{ id: string }>

const shown = (row: store.ExportRow, now: Date): PersonExport => ({
  id: row.export_id,
  object: 'export',
  state: stateOf(row, now),
  bytes: row.bytes === null ? null : Number(row.bytes),
  sha256: row.sha256,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
})

/** The day ends to the second, before the sweep deletes the file. */
const stateOf = ({ state, expires_at: expiresAt }: store.ExportRow, now: Date): store.ExportState =>
  state === 'ready' && expiresAt! <= now ? 'expired' : state

export async function listExports(context: ExportContext) {
  const { db, clock } = context.app
  const rows = await store.listExports(db, requirePerson(context).personId)
  return bareList.answer(rows, (row) => shown(row, new Date(clock.nowMs())))
}

/** Queues an export. Throws EXPORT_UNDER_WAY (409) and TOO_MANY_EXPORTS (429). */
export async function requestExport(context: ExportContext): Promise<HttpAnswer> {
  const { app } = context
  const { personId } = requirePerson(context)
  const now = new Date(app.clock.nowMs())
  const row: store.ExportRow = {
    person_id: personId,
    export_id: uuidv7(now.getTime()),
    state: 'queued',
    ...{ storage_key: null, bytes: null, sha256: null, attempts: 0, finished_at: null, expires_at: null },
    created_at: now,
  }
  await app.db.tx(async (tx) => {
    await lockPerson(tx, personId)
    refuseTooMany(await store.listExports(tx, personId), now)
    await store.insertExport(tx, row)
    const exportId = row.export_id
    await app.jobs.enqueue(tx, exportJob, { accountId: platformAccount, data: { personId, exportId } })
    await auditRequest(tx, context, {
      accountId: null,
      projectId: null,
      target: { kind: 'export', id: exportId },
      before: undefined,
      after: undefined,
    })
  })
  return new HttpAnswer(202, shown(row, now))
}

function refuseTooMany(rows: readonly store.ExportRow[], now: Date): void {
  if (rows.some(({ state }) => state === 'queued' || state === 'running')) fail('EXPORT_UNDER_WAY', {})
  const since = now.getTime() - dayMs
  const lately = rows.filter(({ created_at: at }) => at.getTime() > since)
  const first = lately[maxPerDay - 1]
  if (first)
    fail('TOO_MANY_EXPORTS', { max: maxPerDay }, { retryAfterMs: first.created_at.getTime() - since })
}

async function found({ app, params, ...context }: OneExport): Promise<store.ExportRow> {
  const { personId } = requirePerson(context)
  const row = isUuid(params.id) && (await store.findExport(app.db, personId, params.id.toLowerCase()))
  return row || fail('NOT_FOUND', {}, { param: 'id' })
}

export const readExport = async (context: OneExport): Promise<PersonExport> =>
  shown(await found(context), new Date(context.app.clock.nowMs()))

/** The ZIP, whole or in part, so that a download goes on where it broke off. */
export async function downloadExport(context: OneExport) {
  const { app } = context
  const row = await found(context)
  const key = row.storage_key
  if (key === null || stateOf(row, new Date(app.clock.nowMs())) !== 'ready')
    return fail('EXPORT_NOT_READY', {})
  const day = row.created_at.toISOString().slice(0, 10)
  return content({
    mediaType: 'application/zip',
    bytes: Number(row.bytes),
    etag: `"${row.sha256}"`,
    headers: {
      'cache-control': 'private, no-store',
      'content-disposition': attachment(`kherad-${day}.zip`),
      'x-content-type-options': 'nosniff',
    },
    open: async (range) => (await app.storage.get(key, range)) ?? failLost(app, key),
  })
}
