import { sniff } from '#core/magic'
import type { Media } from '#core/turn'
import { measureAudio } from './audio.ts'
import { measureImage } from './image.ts'
import { measureVideo } from './video.ts'

/**
 * Names and measures media by its bytes alone: type, size in pixels, seconds. Nothing is decoded.
 * `undefined` for bytes of no known type, and for an image, wav, mp3 or mp4 whose measures cannot be read.
 * webm, ogg, flac, quicktime, m4a and pdf are named only.
 */
export function measure(bytes: Uint8Array): Media | undefined {
  const mediaType = sniff(bytes)
  if (mediaType === undefined) return undefined
  const known = { data: bytes, mediaType }
  const measured = mediaType.startsWith('image/')
    ? measureImage(bytes)
    : mediaType === 'video/mp4'
      ? measureVideo(bytes)
      : mediaType === 'audio/wav' || mediaType === 'audio/mpeg'
        ? measureAudio(bytes)
        : {}
  return measured && { ...known, ...measured }
}
