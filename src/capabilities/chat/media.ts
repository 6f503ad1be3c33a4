import { base64Media, imageMedia, inlineMedia } from '#capabilities/text'
import type { Content } from '#engine/inference'
import type { Part } from './schema.ts'

/** A content part with its media decoded and measured. Throws INVALID_MEDIA, before anything is held. */
export function contentOf(part: Part, param: string): Content[] {
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
    case 'refusal':
      return []
  }
}
