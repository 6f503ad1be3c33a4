import { deleteAppFile } from '#cloud/app-files'
import { fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { ownerOf } from './owner.ts'
import { requireFile } from './read.ts'

export async function removeFile(call: AppCall, fileId: string): Promise<AppReply> {
  const { file_id: id } = await requireFile(call, fileId)
  if (!(await deleteAppFile(call.app.appFiles, ownerOf(call), id))) return fail('APP_FILE_NOT_FOUND', {})
  return { status: 200, body: { id, deleted: true } }
}
