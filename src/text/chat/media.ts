import { typeOfBase64, withTypeOfBytes } from '#core/media'
import { base64Media, imageMedia, inlineFile, inlineMedia, reasons } from '#core/text'
import type { MessageContent } from '#core/turn'
import { fail } from '#platform/errors'
import type { ChatContentPart, ChatMessage } from './schema.ts'

type FilePart = Extract<ChatContentPart, { type: 'file' }>

/** A content part with its media decoded and measured. Throws INVALID_MEDIA, before anything is held. */
export function contentOf(part: ChatContentPart, param: string): MessageContent[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image_url': {
      const { url, detail } = part.image_url
      const media = imageMedia(url, `${param}.image_url.url`, 'links')
      return [{ type: 'image', media, ...(detail !== undefined && { detail }) }]
    }
    case 'input_audio': {
      const { data } = part.input_audio
      return [{ type: 'audio', media: base64Media(data, soundTypes, `${param}.input_audio.data`) }]
    }
    case 'video_url':
      return [
        {
          type: 'video',
          media: inlineMedia(part.video_url.url, ['video/mp4'], `${param}.video_url.url`),
        },
      ]
    case 'file':
      return [fileContent(part, `${param}.file`)]
    case 'refusal':
      return []
  }
}

const soundTypes = ['audio/wav', 'audio/mpeg']

/** The messages with the types that the bytes of their media have: vendors refuse others. */
export const withTypesOfBytes = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(withTypeOf) } : message,
  )

function withTypeOf(part: ChatContentPart): ChatContentPart {
  switch (part.type) {
    case 'image_url':
      return { ...part, image_url: { ...part.image_url, url: withTypeOfBytes(part.image_url.url) } }
    case 'video_url':
      return { ...part, video_url: { ...part.video_url, url: withTypeOfBytes(part.video_url.url) } }
    case 'input_audio':
      return { ...part, input_audio: { ...part.input_audio, format: formatOf(part.input_audio) } }
    case 'file':
      return part.file.file_data == null
        ? part
        : { ...part, file: { ...part.file, file_data: withTypeOfBytes(part.file.file_data) } }
    default:
      return part
  }
}

/** The format by the first bytes: what is no WAV was measured as MP3. */
const formatOf = ({ data }: { data: string }): 'wav' | 'mp3' =>
  typeOfBase64(data) === 'audio/wav' ? 'wav' : 'mp3'

/** One file, inline. A file id is refused: the upstream would look the file up by itself, and it could not be checked here. */
function fileContent({ file }: FilePart, param: string): MessageContent {
  const { file_data: data, filename, file_id: id } = file
  const refuse = (field: string): never =>
    fail('INVALID_MEDIA', { why: reasons.onlyFileData }, { param: `${param}.${field}` })
  if (id != null) return refuse('file_id')
  if (data == null) return refuse('file_data')
  return inlineFile(data, filename ?? undefined, `${param}.file_data`)
}

/**
 * The part of a file as upstreams of this wire know it: they take PDFs alone as files, so that the words of a text stand in its place, under its name,
 * and a picture is one. `content`: what was read of the part, where it is such a file.
 */
export function upstreamParts(part: ChatContentPart, content: MessageContent | undefined): ChatContentPart[] {
  if (part.type !== 'file' || !content) return [part]
  if (content.type === 'image') return [{ type: 'image_url', image_url: { url: part.file.file_data ?? '' } }]
  if (content.type !== 'document' || !('parts' in content)) return [part]
  const words = content.parts.map((one) => (one.type === 'text' ? one.text : undefined))
  return [content.title, ...words].flatMap((text) =>
    text === undefined ? [] : [{ type: 'text' as const, text }],
  )
}
