import { Type } from 'typebox'
import { storeAppFile } from '#cloud/app-files'
import { decodeBase64InSlices } from '#platform/bytes'
import { fail } from '#platform/errors'
import { compile } from '#platform/http'
import { closed, storableText } from '#platform/schema'
import { mediaTypeByName } from '#sites/hosting'
import type { AppCall, AppReply } from '../area.ts'
import { reasons } from '../phrases.ts'
import { ownerOf, shownFile } from './owner.ts'

const Body = Type.Object(
  {
    name: storableText(1, 255, { description: 'A label; several files may bear it.' }),
    content_base64: Type.String({ description: 'RFC 4648, section 4: padded, without white space.' }),
  },
  closed,
)
const check = compile(Body, 'body')
/** Bytes beside the Base64: the name, and slashes that some programs write as `\\/`. */
const restBytes = 64 * 1024

/** Answers 201 with the file. */
export async function storeFile(call: AppCall): Promise<AppReply> {
  const { app, cloud } = call
  const { userId } = ownerOf(call)
  if (userId === undefined) return fail('APP_FILE_OWNER_NEEDED', {})
  const { fileBytes } = cloud.limits
  const body = await call.json(Math.ceil(fileBytes / 3) * 4 + restBytes)
  check(body)
  const { name, content_base64: text } = body as { name: string; content_base64: string }
  const bytes = await decodeBase64InSlices(text)
  if (!bytes) return fail('INVALID_REQUEST', { why: reasons.notBase64 }, { param: 'content_base64' })
  const { accountId, cloudId } = cloud
  const file = {
    accountId,
    cloudId,
    userId,
    name: name.toWellFormed(),
    mediaType: mediaTypeByName(name),
    bytes,
  }
  const row = await storeAppFile(app.appFiles, file, cloud.limits)
  return { status: 201, body: shownFile(row, call) }
}
