import type { AppFileRow, FileOwner } from '#cloud/app-files'
import { fail } from '#platform/errors'
import type { AppCall } from '../area.ts'

/** Returns whose files the caller sees: a user's own, with the service key those of all. Throws APP_FILE_SIGN_IN_NEEDED. */
export function ownerOf({ cloud, caller }: AppCall): FileOwner {
  const { accountId, cloudId } = cloud
  if (caller.role === 'service') return { accountId, cloudId }
  if (caller.role === 'authenticated') return { accountId, cloudId, userId: caller.userId }
  return fail('APP_FILE_SIGN_IN_NEEDED', {})
}

/** Returns a file as its user sees it; programs with the service key see its owner, too. */
export const shownFile = (row: AppFileRow, { caller }: AppCall) => ({
  id: row.file_id,
  name: row.name,
  media_type: row.media_type,
  bytes: Number(row.bytes),
  created_at: row.created_at.toISOString(),
  ...(caller.role === 'service' && { user_id: row.user_id }),
})
