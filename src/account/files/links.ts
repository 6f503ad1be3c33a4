/** Signed links: whoever has one reads its file without a key, until it expires or the file is deleted. */
import { findByLink, findFile, type LinkTokens, openLinks } from '#core/files'
import { fail } from '#platform/errors'
import { baseUrlOf, type ContentAnswer, type HttpAnswer, type RequestContext } from '#platform/http'
import { isUuid } from '#platform/ids'
import type { FileRoutesApp } from './app.ts'
import { answerFile } from './read.ts'
import type { LinkBody } from './schema.ts'

export const linkPath = '/v1/media'
export const usualLinkSeconds = 3_600

/** Returns the URL of a file of this caller, which ends at `expiresAt`. */
export type FileLinks = (fileId: string, expiresAt: Date) => string

/** Opens the signer of links. Call it before anything is held, since it throws SECRETS_SEALED. */
export async function fileLinks(
  context: RequestContext<Pick<FileRoutesApp, 'config' | 'secrets'>>,
): Promise<FileLinks> {
  const { app, caller } = context
  const tokenOf: LinkTokens = await openLinks(app)
  const base = `${baseUrlOf(context)}${linkPath}`
  return (fileId, expiresAt) => `${base}/${tokenOf({ accountId: caller.accountId, fileId }, expiresAt)}`
}

export async function createLink(context: RequestContext<FileRoutesApp, LinkBody, unknown, { id: string }>) {
  const { app, caller, params, body } = context
  const nowMs = app.clock.nowMs()
  const file = isUuid(params.id) ? await findFile(app.db, caller, params.id, new Date(nowMs)) : undefined
  if (!file) return fail('NOT_FOUND', {}, { param: 'id' })
  const endsMs = nowMs + (body.expires_in ?? usualLinkSeconds) * 1000
  // The end is rounded down to the second, as it stands in the token, and is not after that of the file.
  const expiresAt = new Date(Math.floor(Math.min(endsMs, file.expires_at?.getTime() ?? endsMs) / 1000) * 1000)
  const linkOf = await fileLinks(context)
  return { url: linkOf(file.file_id, expiresAt), expires_at: expiresAt.toISOString() }
}

/** Answers with the file of a link. Pages of any origin may show it. Forged, expired and deleted look alike. */
export async function readLinked(
  context: RequestContext<FileRoutesApp, unknown, unknown, { token: string }>,
): Promise<HttpAnswer | ContentAnswer> {
  const file = await findByLink(context.app, context.params.token)
  if (!file) return fail('NOT_FOUND', {}, {})
  return answerFile(context, file, {
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
  })
}
