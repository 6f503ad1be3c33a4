import type { Language } from './language.ts'
import type { Question } from './question.ts'
import { say } from './words.ts'

/** One sentence on a medium by its measured properties: format, size in pixels, seconds. */
export function describeMedia({ type, media }: Question['media'][number], language: Language): string {
  const { width, height, durationSeconds } = media
  const format = formatName(media.mediaType) ?? say(language, 'unknownFormat')
  const seconds = durationSeconds === undefined ? undefined : Math.round(durationSeconds * 10) / 10
  if (type === 'image') {
    if (!media.data && media.url) return say(language, 'imageLinked')
    if (width === undefined || height === undefined) return say(language, 'imageUnmeasured', { format })
    return say(language, 'imageMeasured', { format, width, height })
  }
  if (type === 'audio') {
    return seconds === undefined
      ? say(language, 'audioUnmeasured', { format })
      : say(language, 'audio', { format, seconds })
  }
  return seconds === undefined || width === undefined || height === undefined
    ? say(language, 'videoUnmeasured', { format })
    : say(language, 'video', { format, seconds, width, height })
}

function formatName(mediaType: string | undefined): string | undefined {
  const name = mediaType?.split('/')[1]?.replace(/^x-/, '')
  return name === 'mpeg' ? 'MP3' : name?.toUpperCase()
}
