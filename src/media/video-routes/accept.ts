/** Accepts videos of both routes: every error of the request is refused first, then the worst case is held and the job is stored. */
import { payer, requireMayUse, requireModel, requirePrompt, requireUnclaimed } from '#core/calls'
import type { VideoModel } from '#core/models'
import { cleanPicture } from '#core/text'
import type { Media } from '#core/turn'
import { type ParamOf, planVideo, submitVideo, type VideoJob, type VideoSpec } from '#media/video'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { VideoRoutesApp } from './app.ts'
import { reasons } from './phrases.ts'

/** A reference picture as it came. */
export interface PictureInput {
  /** Takes the data URL out of the body, so that a large one is freed as soon as it is read. */
  take(): string
  /** The path of the picture in the body. */
  param: string
}

export interface AcceptVideoOptions {
  model: VideoModel
  wish: Omit<VideoSpec, 'references'>
  references: readonly PictureInput[]
  where: ParamOf
  endpoint: string
  callbackUrl?: string
  /** The body of the 202. */
  replyOf: (job: VideoJob) => string | Promise<string>
}

/** The model that the body names, else the default one. Throws as `requireModel` does. */
export function videoModelOf(
  context: RequestContext<Pick<VideoRoutesApp, 'models'>, { model?: string }>,
): VideoModel {
  const { app, caller, body } = context
  if (body.model !== undefined) return requireModel(context, body.model, 'video')
  const model = app.models.defaults.video ?? fail('MODEL_NOT_FOUND', { model: 'video' }, { param: 'model' })
  requireMayUse(caller, model)
  return model
}

/** The prompt. Throws INVALID_REQUEST for a blank one. */
export const videoPromptOf = (prompt: string): string => requirePrompt(prompt, reasons.blank)

/**
 * Accepts the order and returns the body of the 202, which is stored for repeats. Throws what `planVideo` and `submitVideo` throw, and INVALID_MEDIA.
 */
export async function acceptVideo(
  context: RequestContext<Pick<VideoRoutesApp, 'ledger' | 'videos'>>,
  options: AcceptVideoOptions,
): Promise<string> {
  const { app, caller } = context
  const { model, wish, references, where, endpoint, callbackUrl, replyOf } = options
  // The order is planned without the pictures first, since only their number matters here.
  const order = planVideo(model, { ...wish, references: references.map(() => ({})) }, where)
  if (references.length > 0) await requireUnclaimed(context)
  const { reply } = await submitVideo(app.videos, {
    ...payer(context),
    endpoint,
    model,
    order: { ...order, references: await picturesOf(references, caller.accountId) },
    ...(callbackUrl !== undefined && { callbackUrl }),
    replyOf,
  })
  return reply
}

/** The most characters of a data URL (contract section 4). */
const maxCharacters = 12_000_000
const pictureTypes = ['image/png', 'image/jpeg', 'image/webp']

/** The pictures, decoded one after the other. Each text is freed once its bytes exist, so that two large bodies at once stay within their memory. */
async function picturesOf(references: readonly PictureInput[], accountId: string): Promise<Media[]> {
  const pictures: Media[] = []
  for (const { take, param } of references)
    pictures.push(
      await cleanPicture(take(), { types: pictureTypes, param, accountId, characters: maxCharacters }),
    )
  return pictures
}
