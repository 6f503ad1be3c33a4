import { decodeBase64, measure, parseDataUrl } from '#engine/media'
import type { Content, Media } from '#engine/inference'
import { fail } from '#platform/errors'
import { mediaCharacters, type Part } from './schema.ts'

/** A content part with its media decoded and measured. Throws INVALID_MEDIA, before anything is held. */
export function contentOf(part: Part, param: string): Content[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image_url': {
      const { url, detail } = part.image_url
      const media = url.startsWith('https://') ? { url } : fromDataUrl(url, imageTypes, 'an image', `${param}.image_url.url`)
      return [{ type: 'image', media, ...(detail !== undefined && { detail }) }]
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      const type = format === 'wav' ? 'audio/wav' : 'audio/mpeg'
      const media = fromBase64(data, [type], 'audio', `${param}.input_audio.data`)
      if (media.durationSeconds === undefined) refuse('its length cannot be read.', `${param}.input_audio.data`)
      return [{ type: 'audio', media }]
    }
    case 'video_url': {
      const media = fromDataUrl(part.video_url.url, ['video/mp4'], 'a video', `${param}.video_url.url`)
      if (media.durationSeconds === undefined) refuse('its length cannot be read.', `${param}.video_url.url`)
      return [{ type: 'video', media }]
    }
    case 'refusal':
      return []
  }
}

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const refuse = (why: string, param: string): never => fail('INVALID_MEDIA', { why }, { param })

function fromDataUrl(url: string, types: string[], name: string, param: string): Media {
  const links = name === 'an image' ? ' or an HTTPS link' : ''
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(`${name} must be a data URL (data:${types[0]};base64,…)${links}.`, param)
  if (!types.includes(parsed.mediaType.toLowerCase())) return refuse(`${name} must be ${types.join(', ')}.`, param)
  return fromBase64(parsed.base64, types, name, param)
}

function fromBase64(base64: string, types: string[], name: string, param: string): Media {
  if (base64.length > mediaCharacters) return refuse(`it has more than ${mediaCharacters} Base64 characters.`, param)
  const bytes = decodeBase64(base64)
  if (!bytes || bytes.length === 0) return refuse('it is not valid Base64 (standard alphabet, padded, no spaces).', param)
  const media = measure(bytes)
  if (!media?.mediaType || !types.includes(media.mediaType)) return refuse(`its bytes are not ${name} of type ${types.join(', ')}.`, param)
  return media
}
