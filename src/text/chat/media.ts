import { base64Media, imageMedia, inlineMedia, reasons } from '#core/text'
import type { Document, MessageContent } from '#core/turn'
import { fail } from '#platform/errors'
import type { ChatContentPart } from './schema.ts'

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
      const { data, format } = part.input_audio
      const type = format === 'wav' ? 'audio/wav' : 'audio/mpeg'
      return [{ type: 'audio', media: base64Media(data, [type], `${param}.input_audio.data`) }]
    }
    case 'video_url':
      return [
        {
          type: 'video',
          media: inlineMedia(part.video_url.url, ['video/mp4'], `${param}.video_url.url`),
        },
      ]
    case 'file':
      return [documentOf(part.file, `${param}.file`)]
    case 'refusal':
      return []
  }
}

/** One PDF, inline. A file id is refused: the upstream would look the file up by itself, and it could not be checked here. */
function documentOf(file: Extract<ChatContentPart, { type: 'file' }>['file'], param: string): Document {
  const { file_data: data, filename, file_id: id } = file
  const refuse = (field: string): never =>
    fail('INVALID_MEDIA', { why: reasons.onlyFileData }, { param: `${param}.${field}` })
  if (id != null) return refuse('file_id')
  if (data == null) return refuse('file_data')
  const media = inlineMedia(data, ['application/pdf'], `${param}.file_data`)
  return { type: 'document', citations: false, media, ...(filename != null && { title: filename }) }
}
