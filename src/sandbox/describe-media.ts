import type { Document, MessageContent } from '#core/turn'
import type { Language } from './language.ts'
import { phraseText } from './phrases.ts'
import type { Question } from './question.ts'

/** One sentence that describes a medium by its measured properties: format, size in pixels, seconds, pages. */
export const describeMedia = (medium: Question['media'][number], language: Language): string =>
  medium.type === 'document' ? describeDocument(medium, language) : describeMeasured(medium, language)

/** What was read of a document: the number of a PDF's pages, or the characters of text. */
function describeDocument(document: Document, language: Language): string {
  const title = document.title ?? phraseText(language, 'untitled')
  if (!('media' in document))
    return phraseText(language, 'documentText', { title, count: [...textWithin(document.parts)].length })
  const { data, pages, pagesGuessed } = document.media
  return !data || pages === undefined || pagesGuessed
    ? phraseText(language, 'documentUncounted', { title })
    : phraseText(language, 'documentPages', { title, pages })
}

const textWithin = (parts: readonly MessageContent[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

type MeasuredMedia = Exclude<Question['media'][number], Document>

function describeMeasured({ type, media }: MeasuredMedia, language: Language): string {
  const { width, height, durationSeconds } = media
  const format = formatName(media.mediaType) ?? phraseText(language, 'unknownFormat')
  const seconds = durationSeconds === undefined ? undefined : Math.round(durationSeconds * 10) / 10
  if (type === 'image') {
    if (!media.data && media.url) return phraseText(language, 'imageLinked')
    if (width === undefined || height === undefined)
      return phraseText(language, 'imageUnmeasured', { format })
    return phraseText(language, 'imageMeasured', { format, width, height })
  }
  if (type === 'audio') {
    return seconds === undefined
      ? phraseText(language, 'audioUnmeasured', { format })
      : phraseText(language, 'audio', { format, seconds })
  }
  return seconds === undefined || width === undefined || height === undefined
    ? phraseText(language, 'videoUnmeasured', { format })
    : phraseText(language, 'video', { format, seconds, width, height })
}

function formatName(mediaType: string | undefined): string | undefined {
  const name = mediaType?.split('/')[1]?.replace(/^x-/, '')
  return name === 'mpeg' ? 'MP3' : name?.toUpperCase()
}
