import { listAppFiles } from '#engine/app-files'
import { keyOf } from '#engine/clouds'
import { plainList } from '#platform/lists'
import type { CloudContext } from '../clouds/create.ts'
import { requireCloud } from '../require-cloud.ts'
import type { FilesQuery } from './schema.ts'

/** Of every user: what they are, never what is in them. */
export async function listFiles({ app, caller, params, query }: CloudContext<unknown, FilesQuery>) {
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  return plainList.answer(await listAppFiles(app.db, keyOf(cloud), query), (row) => ({
    id: row.file_id,
    name: row.name,
    media_type: row.media_type,
    bytes: Number(row.bytes),
    user_id: row.user_id,
    created_at: row.created_at.toISOString(),
  }))
}
