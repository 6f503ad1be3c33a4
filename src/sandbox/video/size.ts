import type { PixelSize, VideoOrder } from '#core/turn'

/** All that the catalogue offers: `9:16` at 720p is 720 × 1280, as vendors count lines. */
export const aspectRatios = ['16:9', '9:16', '1:1', '4:3', '3:4']
export const resolutions = ['480p', '720p', '1080p'] as const
export const maxSeconds = 30

/** The size of a video. The shorter side has the lines of the resolution; both sides are even, as chroma has half of each. */
export function sizeOf({
  resolution,
  aspectRatio,
}: Pick<VideoOrder, 'resolution' | 'aspectRatio'>): PixelSize {
  const lines = Number.parseInt(resolution, 10)
  const [across = 1, down = 1] = aspectRatio.split(':').map(Number)
  const long = 2 * Math.round((lines * Math.max(across, down)) / Math.min(across, down) / 2)
  return across < down ? { width: lines, height: long } : { width: long, height: lines }
}
