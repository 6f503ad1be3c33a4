/** Widths and heights of videos by their resolution and ratio, in the terms of vendors. */
import { parsePixelSize, sizeName, type VideoModel } from '#core/models'
import type { PixelSize, VideoResolution } from '#core/turn'

/** The shorter side in pixels. */
const lines: Record<VideoResolution, number> = { '480p': 480, '720p': 720, '1080p': 1_080 }
/** Vendors round sides to whole blocks: 848x480 and 832x480 are 16:9 too. */
const tolerance = 0.03

export const ratioOf = (aspectRatio: string): number => {
  const [width, height] = aspectRatio.split(':').map(Number) as [number, number]
  return width / height
}

/** The size of a video. Its sides are even, as encoders need them. */
export function videoSize(resolution: VideoResolution, aspectRatio: string): PixelSize {
  const short = lines[resolution]
  const ratio = ratioOf(aspectRatio)
  const long = 2 * Math.round((short * Math.max(ratio, 1 / ratio)) / 2)
  return ratio < 1 ? { width: short, height: long } : { width: long, height: short }
}

export interface VideoShape {
  resolution: VideoResolution
  aspectRatio: string
}

/** All shapes that the model makes. */
export function shapesOf({ video }: VideoModel): VideoShape[] {
  const shapes = video.combinations.flatMap(({ resolution, aspectRatios }) =>
    aspectRatios.map((aspectRatio) => ({ resolution, aspectRatio })),
  )
  return shapes.filter(
    (one, index) =>
      shapes.findIndex(
        ({ resolution, aspectRatio }) => resolution === one.resolution && aspectRatio === one.aspectRatio,
      ) === index,
  )
}

export const sizesOf = (model: VideoModel): string[] => [
  ...new Set(
    shapesOf(model).map(({ resolution, aspectRatio }) => sizeName(videoSize(resolution, aspectRatio))),
  ),
]

/** The model's shape for a size such as `1280x720`; undefined where the model makes none like it. */
export function shapeOf(model: VideoModel, size: string): VideoShape | undefined {
  const { width, height } = parsePixelSize(size)!
  const short = Math.min(width, height)
  const distance = ({ aspectRatio }: VideoShape): number =>
    Math.abs(width / height / ratioOf(aspectRatio) - 1)
  const [nearest] = shapesOf(model)
    .filter(({ resolution }) => lines[resolution] === short)
    .sort((a, b) => distance(a) - distance(b))
  return nearest && distance(nearest) <= tolerance ? nearest : undefined
}
