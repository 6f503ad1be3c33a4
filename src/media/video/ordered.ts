/** Rebuilds the order of a job from its row. */
import type { VideoModel } from '#core/models'
import type { VideoOrder } from '#core/turn'
import type { VideoApp } from './app.ts'
import { readPictures } from './pictures.ts'
import { planVideo } from './plan.ts'
import { readVideo, type VideoKey, type VideoRow } from './store.ts'

/** The order for a model that accepted it before. Throws where the store fails, or the model does not accept it any more. */
export async function planOf(
  app: Pick<VideoApp, 'files'>,
  row: VideoRow,
  model: VideoModel,
): Promise<VideoOrder> {
  const { resolution, seconds, aspectRatio, withAudio, referenceMode, seed } = row.settings
  return planVideo(
    model,
    {
      prompt: row.prompt ?? '',
      ...{ resolution, seconds, aspectRatio, withAudio },
      references: await readPictures(app, row.pictures),
      ...(row.pictures.length > 0 && { referenceMode }),
      ...(model.video.takesSeed && { seed }),
    },
    (setting) => setting,
  )
}

/** For providers that keep nothing between two calls: reads the order as their model received it. */
export function orderAgain(
  app: Pick<VideoApp, 'db' | 'files' | 'models'>,
  key: VideoKey,
): () => Promise<VideoOrder> {
  return async () => {
    const row = await readVideo(app.db, key)
    const model = row && app.models.find(row.answered_model ?? row.model)
    if (model?.kind !== 'video') throw new Error('The model of this video is not here any more.')
    return planOf(app, row!, model)
  }
}
