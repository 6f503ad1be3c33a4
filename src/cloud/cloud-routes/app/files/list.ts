import { listAppFiles } from '#cloud/app-files'
import { compile } from '#platform/http'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import type { AppCall, AppReply } from '../area.ts'
import { ownerOf, shownFile } from './owner.ts'

const max = 1_000
const Query = pageQuery({
  max,
  standard: max,
  after: idCursor('Files older than this one.', 'فایل‌های قدیمی‌تر از این یکی.'),
})
const check = compile(Query, 'text')

/** Lists files, newest first. */
export async function listFiles(call: AppCall): Promise<AppReply> {
  const owner = ownerOf(call)
  const query: Record<string, unknown> = Object.fromEntries(call.query)
  // A key in the query, where a WebSocket has it, is no field of the list.
  delete query['apikey']
  check(query)
  const page = await listAppFiles(
    call.app.appFiles.db,
    owner,
    query as unknown as { limit: number; after_id?: string },
  )
  return { status: 200, body: plainList.answer(page, (row) => shownFile(row, call)) }
}
