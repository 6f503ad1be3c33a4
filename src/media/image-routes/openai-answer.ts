/** The answers of OpenAI's images routes. */

import { type FileLinks, fileLinks, usualLinkSeconds } from '#account/files'
import { Base64Bytes, costOf } from '#core/calls'
import { sizeName } from '#core/models'
import type { PaidImage, PaidPictures, Picture } from '#media/images'
import type { RequestContext } from '#platform/http'
import type { ImageRoutesApp } from './app.ts'
import type { ImageReplyOptions } from './draw.ts'
import type { GenerationBody } from './schema.ts'

/** The functions that build these answers. Call before anything is held: throws SECRETS_SEALED for links that cannot be signed. */
export async function openAiAnswer(
  context: RequestContext<Pick<ImageRoutesApp, 'clock' | 'config' | 'secrets'>>,
  { response_format: format }: Pick<GenerationBody, 'response_format'>,
): Promise<Pick<ImageReplyOptions, 'bodyOf' | 'partialOf' | 'lastOf'>> {
  const { app, receivedMs } = context
  const links = format === 'url' ? await fileLinks(context) : undefined
  const nowMs = () => app.clock.nowMs()
  return {
    bodyOf: (paid, drawn) => ({
      created: Math.floor(receivedMs / 1000),
      model: paid.model.id,
      data: links ? linked(links, drawn, nowMs()) : inline(drawn),
      ...settingsOf(paid, drawn),
    }),
    partialOf: (paid, picture) => ({
      created_at: Math.floor(nowMs() / 1000),
      ...shapeOf(paid, picture),
    }),
    lastOf: (paid, drawn) => ({
      created_at: Math.floor(nowMs() / 1000),
      model: paid.model.id,
      file_id: drawn.files[0],
      ...settingsOf(paid, drawn),
    }),
  }
}

const inline = ({ pictures }: PaidPictures) =>
  pictures.map((picture) => ({ b64_json: new Base64Bytes(picture.bytes), ...revisionOf(picture) }))

function linked(links: FileLinks, { files, pictures }: PaidPictures, nowMs: number) {
  const expiresAt = new Date(nowMs + usualLinkSeconds * 1000)
  return files.map((fileId, index) => ({ url: links(fileId, expiresAt), ...revisionOf(pictures[index]!) }))
}

const revisionOf = ({ revisedPrompt }: Picture) =>
  revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }

function shapeOf({ plan }: PaidImage, { width, height }: Picture) {
  const { format, quality, background } = plan
  return {
    background: background ?? 'auto',
    output_format: format,
    quality: quality ?? 'auto',
    size: sizeName({ width, height }),
  }
}

function settingsOf(paid: PaidImage, { pictures, tokens, microcredits }: PaidPictures) {
  return {
    ...shapeOf(paid, pictures[0]!),
    usage: {
      input_tokens: tokens.input,
      input_tokens_details: {
        text_tokens: tokens.input - (tokens.mediaInput ?? 0),
        image_tokens: tokens.mediaInput ?? 0,
      },
      output_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      ...costOf(microcredits),
    },
  }
}
