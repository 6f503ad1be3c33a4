import { decodeBase64InSlices } from '#platform/bytes'
import { Failure, fail } from '#platform/errors'
import { type Ask, JsonText } from '#platform/http'
import { ClaimTaken, record } from '#platform/ledger'
import { dropBytes, keepFile, stageFile } from './keep.ts'
import { kindOf, means, mediaTypes } from './kind.ts'
import { shownFile } from './read.ts'
import { mostBytes, type UploadBody } from './schema.ts'
import { reasons } from './words.ts'

/** Stores an image or audio of the project. */
export async function upload(ask: Ask<UploadBody>): Promise<JsonText> {
  const { app, body, caller, claim } = ask
  const { bytes, mediaType } = await fileIn(body)
  const { accountId, projectId, keyId } = caller
  const file = { accountId, projectId, keyId, bytes, mediaType, source: 'upload', name: body.name }
  const staged = await stageFile(app, file)
  const reply = JSON.stringify(shownFile(staged.row))
  try {
    await app.db.tx(async (tx) => {
      await keepFile(tx, staged)
      const recorded = {
        payer: caller,
        receiptId: ask.requestId,
        endpoint: '/v1/files',
        claim,
        statusCode: 201,
        reply,
      }
      if (claim) await record(tx, recorded, staged.row.created_at)
    })
  } catch (error) {
    // Certain not to have committed; else the bytes are no strays any more, and would stay in any case.
    if (error instanceof Failure || error instanceof ClaimTaken)
      await dropBytes(app, accountId, staged.row.file_id)
    throw error
  }
  return new JsonText(reply)
}

async function fileIn({ data, media_type: claimed }: UploadBody) {
  const bytes = await decodeBase64InSlices(data)
  if (!bytes) return fail('INVALID_REQUEST', { why: reasons.notBase64 }, { param: 'data' })
  if (bytes.length > mostBytes)
    fail('INVALID_REQUEST', { why: reasons.tooLarge(mostBytes) }, { param: 'data' })
  const mediaType = kindOf(bytes)
  if (mediaType === undefined)
    return fail('INVALID_REQUEST', { why: reasons.otherType(mediaTypes) }, { param: 'data' })
  if (claimed !== undefined && !means(claimed, mediaType))
    fail('INVALID_REQUEST', { why: reasons.notAsNamed(mediaType) }, { param: 'media_type' })
  return { bytes, mediaType }
}
