/** The order of a job again, from its row. */
import type { App } from '#app'
import type { VideoModel } from '#core/models'
import type { VideoOrder } from '#core/turn'
import { readPictures } from './pictures.ts'
import { planVideo } from './plan.ts'
import { readVideo, type VideoKey, type VideoRow } from './store.ts'

/** For a model that was found to take it. Throws where the store fails, or the model does not take it any more. */
export async function planOf(app: App, row: VideoRow, model: VideoModel): Promise<VideoOrder> {
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

/** For providers that keep nothing between two calls: the order as their model was given it. */
export function orderAgain(app: App, key: VideoKey): () => Promise<VideoOrder> {
  return async () => {
    const row = await readVideo(app.db, key)
    const model = row && app.models.find(row.answered_model ?? row.model)
    if (model?.kind !== 'video') throw new Error('The model of this video is not here any more.')
    return planOf(app, row!, model)
  }
}
