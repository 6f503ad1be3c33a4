/** Exports all contents of a cloud as lines of JSON, as they are read. Secrets and keys are left out. */
import { exportFiles } from '#cloud/app-files'
import { exportUsers } from '#cloud/app-users'
import { type CloudKey, type CloudRow, keyOf } from '#cloud/clouds'
import { exportAll } from '#cloud/collections'
import { findFunctionVersion, listFunctions } from '#cloud/functions'
import { type ContentAnswer, content } from '#platform/http'
import type { ExportApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { requireCloud } from '../require-cloud.ts'
import { exportSql } from './export-sql.ts'
import type { ExportLine } from './schema.ts'

export async function exportCloud({ app, caller, params }: CloudContext<ExportApp>): Promise<ContentAnswer> {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  if (cloud.plan === 'dedicated') return exportSql(app, cloud)
  return content({
    mediaType: 'application/x-ndjson',
    headers: {
      'content-disposition': `attachment; filename="${cloud.ref}.jsonl"`,
      'cache-control': 'no-store',
    },
    open: () => linesOf(app, cloud),
  })
}

/** The last line counts the others: without it the stream was cut. */
async function* linesOf(app: ExportApp, cloud: CloudRow): AsyncGenerator<Buffer> {
  let lines = 0
  for await (const line of partsOf(app, cloud)) {
    lines++
    yield encode(line)
  }
  yield encode({ type: 'end', lines: lines + 1 })
}

const encode = (line: ExportLine): Buffer => Buffer.from(`${JSON.stringify(line)}\n`)

async function* partsOf(app: ExportApp, row: CloudRow): AsyncGenerator<ExportLine> {
  const cloud = keyOf(row)
  const exportedAt = new Date(app.clock.nowMs()).toISOString()
  yield { type: 'cloud', version: 1, name: row.name, exported_at: exportedAt }
  const { site_url, disable_signup, additional_redirect_urls: more, anonymous_sign_ins } = row
  yield { type: 'auth', site_url, disable_signup, additional_redirect_urls: [...more], anonymous_sign_ins }
  for await (const user of exportUsers(app, { ...cloud, plan: row.plan })) yield { type: 'user', ...user }
  for await (const { kind, ...item } of exportAll(app.collections, cloud))
    yield { type: kind, ...item } as ExportLine
  for await (const { content_base64: text, ...file } of exportFiles(app, cloud)) yield* fileLines(file, text)
  yield* functionLines(app, cloud)
}

/** Divisible by four, so that each part is Base64 by itself. */
const partCharacters = 1024 * 1024

function* fileLines(
  file: Omit<Extract<ExportLine, { type: 'file' }>, 'type' | 'content_base64' | 'more'>,
  text: string,
): Generator<ExportLine> {
  const partOf = (at: number) => ({
    content_base64: text.slice(at, at + partCharacters),
    more: at + partCharacters < text.length,
  })
  yield { type: 'file', ...file, ...partOf(0) }
  for (let at = partCharacters; at < text.length; at += partCharacters)
    yield { type: 'file_part', ...partOf(at) }
}

async function* functionLines({ db }: ExportApp, cloud: CloudKey): AsyncGenerator<ExportLine> {
  for (const { name, version, verify_jwt } of await listFunctions(db.kysely, cloud)) {
    const live = await findFunctionVersion(db.kysely, { ...cloud, name }, version)
    if (live) yield { type: 'function', name, verify_jwt, code: live.code }
  }
}
