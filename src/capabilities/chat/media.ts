import type { Content, Media } from '#engine/inference'
import { decodeBase64, measure, parseDataUrl } from '#engine/media'
import { fail, type Told } from '#platform/errors'
import { mediaCharacters, type Part } from './schema.ts'
import { reasons } from './words.ts'

/** A content part with its media decoded and measured. Throws INVALID_MEDIA, before anything is held. */
export function contentOf(part: Part, param: string): Content[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image_url': {
      const { url, detail } = part.image_url
      const media = url.startsWith('https://')
        ? { url }
        : fromDataUrl(url, imageTypes, true, `${param}.image_url.url`)
      return [{ type: 'image', media, ...(detail !== undefined && { detail }) }]
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      const type = format === 'wav' ? 'audio/wav' : 'audio/mpeg'
      const media = fromBase64(data, [type], `${param}.input_audio.data`)
      if (media.durationSeconds === undefined) refuse(reasons.noLength, `${param}.input_audio.data`)
      return [{ type: 'audio', media }]
    }
    case 'video_url': {
      const media = fromDataUrl(part.video_url.url, ['video/mp4'], false, `${param}.video_url.url`)
      if (media.durationSeconds === undefined) refuse(reasons.noLength, `${param}.video_url.url`)
      return [{ type: 'video', media }]
    }
    case 'refusal':
      return []
  }
}

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const refuse = (why: Told, param: string): never => fail('INVALID_MEDIA', { why }, { param })

function fromDataUrl(url: string, types: string[], orLink: boolean, param: string): Media {
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(reasons.notInline(types[0]!, orLink), param)
  if (!types.includes(parsed.mediaType.toLowerCase())) return refuse(reasons.wrongType(types), param)
  return fromBase64(parsed.base64, types, param)
}

function fromBase64(base64: string, types: string[], param: string): Media {
  if (base64.length > mediaCharacters) return refuse(reasons.tooLong(mediaCharacters), param)
  const bytes = decodeBase64(base64)
  if (!bytes || bytes.length === 0) return refuse(reasons.notBase64, param)
  const media = measure(bytes)
  if (!media?.mediaType || !types.includes(media.mediaType)) return refuse(reasons.otherBytes(types), param)
  return media
}
