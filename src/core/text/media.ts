/** Media inside a request, decoded and measured. Throws INVALID_MEDIA, before anything is held. */

import { isUtf8 } from 'node:buffer'
import {
  anyType,
  fromHeif,
  heifType,
  heifTypes,
  isHeif,
  isTooLarge,
  measure,
  parseDataUrl,
  referencePicture,
  sniff,
  typeOfBase64,
} from '#core/media'
import type { Media, MessageContent, Modality } from '#core/turn'
import { decodeBase64, decodeBase64InSlices, noteReleasedText } from '#platform/bytes'
import { fail, type Localized } from '#platform/errors'
import { reasons } from './phrases.ts'

/** The most Base64 characters of one media part (contract section 8). */
export const mediaCharacters = 2_800_000

/** The most characters of a link. */
const linkCharacters = 8_192

export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** A picture in a data URL or, if the wire allows links, behind an HTTPS link. */
export const imageMedia = (url: string, param: string, links: 'links' | 'inline'): Media =>
  links === 'links' && isHttps(url)
    ? linkMedia(url, param)
    : inlineMedia(url, imageTypes, param, links === 'links')

/** Media behind an HTTPS link; the target is checked or fetched later (see read-media.ts). */
export function linkMedia(url: string, param: string): Media {
  if (!isHttps(url)) return refuse(reasons.onlyHttps, param)
  return url.length > linkCharacters ? refuse(reasons.longLink(linkCharacters), param) : { url, param }
}

const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:'

/** Media in a data URL that declares one of these types, or `application/octet-stream`; which of them it is, the bytes decide. */
export function inlineMedia(url: string, types: readonly string[], param: string, orLink = false): Media {
  return base64Media(base64In(url, types, param, orLink), types, param)
}

function base64In(url: string, types: readonly string[], param: string, orLink: boolean): string {
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(reasons.notInline(types[0]!, orLink), param)
  const { mediaType, base64 } = parsed
  return types.includes(mediaType) || mediaType === anyType
    ? base64
    : refuse(reasons.wrongType(mediaType, types), param)
}

/** The kinds of files that are taken inline: a PDF, a picture, or any text. */
const fileTypes: readonly string[] = ['application/pdf', 'text/plain', ...imageTypes]

/** What a model must take to read a file of this data URL. */
export function fileModality(url: string | null | undefined): Modality {
  const parsed = url == null ? undefined : parseDataUrl(url)
  const type = parsed && fileTypeOf(parsed)
  return type?.startsWith('text/') || type === anyType
    ? 'text'
    : imageTypes.includes(type ?? '')
      ? 'image'
      : 'file'
}

/** The type of a file as its sender says it; where he does not know it, that of its bytes, which texts have not. */
const fileTypeOf = ({ mediaType, base64 }: { mediaType: string; base64: string }): string =>
  mediaType === anyType ? (typeOfBase64(base64) ?? anyType) : mediaType

/**
 * A file in a data URL: a PDF as a document, a picture as a picture, a text as a document of its words. Which picture it is, the bytes decide; of a
 * type that is not known, which of the three. `title` is the name of the file.
 */
export function inlineFile(url: string, title: string | undefined, param: string): MessageContent {
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(reasons.notInline('application/pdf', false), param)
  const { base64 } = parsed
  const type = fileTypeOf(parsed)
  const about = { type: 'document' as const, citations: false, ...(title !== undefined && { title }) }
  if (type.startsWith('text/') || type === anyType)
    return { ...about, parts: [{ type: 'text', text: textIn(base64, type, param) }] }
  if (!fileTypes.includes(type))
    return refuse(
      parsed.mediaType === anyType ? reasons.otherBytes(type, fileTypes) : reasons.wrongType(type, fileTypes),
      param,
    )
  if (imageTypes.includes(type)) return { type: 'image', media: base64Media(base64, imageTypes, param) }
  return { ...about, media: base64Media(base64, ['application/pdf'], param) }
}

/** The words of a text in UTF-8. Other files, whatever they are declared to be, are no UTF-8 or have characters that no text has. */
function textIn(base64: string, type: string, param: string): string {
  if (base64.length > mediaCharacters) return refuse(reasons.tooLong(mediaCharacters), param)
  const bytes = decodeBase64(base64)
  if (!bytes || bytes.length === 0) return refuse(reasons.notBase64, param)
  const text = isUtf8(bytes) ? new TextDecoder().decode(bytes) : '\0'
  if (!text.includes('\0') && !text.startsWith('%PDF-')) return text
  return refuse(type === anyType ? reasons.otherBytes(heifType(bytes), fileTypes) : reasons.notText, param)
}

/** What a picture may be, and where it stands in the request of an account. */
export interface PictureField {
  types: readonly string[]
  param: string
  accountId: string
}

/** The field of a picture in a data URL of at most `characters` characters. */
export interface PictureUrlField extends PictureField {
  characters: number
}

/** A large picture in a data URL, decoded without holding the event loop. */
export async function largePicture(url: string, field: PictureUrlField): Promise<Media> {
  const { types, param, characters } = field
  if (url.length > characters) return refuse(reasons.tooLong(characters), param)
  const bytes = await decodeBase64InSlices(base64In(url, [...types, ...heifTypes], param, false))
  await noteReleasedText(url.length)
  return pictureMedia(bytes, field)
}

/**
 * A picture of bytes that must be of one of these types. AVIF is decoded here and becomes JPEG, PNG or WebP, and so does HEIC where the decoder reads
 * it. Throws TOO_MUCH_IN_FLIGHT too.
 */
export async function pictureMedia(
  bytes: Uint8Array | undefined,
  { types, param, accountId }: PictureField,
): Promise<Media> {
  if (!bytes || !isHeif(bytes)) return mediaOf(bytes, types, param)
  const made = await fromHeif(bytes, accountId)
  if (made === 'unreadable') return refuse(reasons.unreadHeif, param)
  return made === 'too_large' ? refuse(reasons.largeHeif, param) : mediaOf(made, imageTypes, param)
}

/** A large picture that is encoded anew before it leaves this server: upright, within 2,048 pixels, with nothing beside its pixels. */
export async function cleanPicture(url: string, field: PictureUrlField): Promise<Media> {
  const picture = await largePicture(url, field)
  return (await referencePicture(picture)) ?? refuse(reasons.undecodable, field.param)
}

/** Media in plain Base64 whose bytes must be of one of these types. Audio and video must have a readable duration. */
export function base64Media(base64: string, types: readonly string[], param: string): Media {
  if (base64.length > mediaCharacters) return refuse(reasons.tooLong(mediaCharacters), param)
  return mediaOf(decodeBase64(base64), types, param)
}

/** Media of bytes that must be of one of these types. */
export function mediaOf(bytes: Uint8Array | undefined, types: readonly string[], param: string): Media {
  if (!bytes) return refuse(reasons.notBase64, param)
  if (bytes.length === 0) return refuse(reasons.empty, param)
  const media = measure(bytes)
  if (!media?.mediaType || !types.includes(media.mediaType))
    return refuse(reasons.otherBytes(typeBeside(types, bytes), types), param)
  if (/^(audio|video)\//.test(media.mediaType) && media.durationSeconds === undefined)
    return refuse(reasons.noLength, param)
  return isTooLarge(media) ? refuse(reasons.vast, param) : { ...media, param }
}

/** The type by the first bytes, for a refusal; undefined for unknown bytes, and for damaged ones of a type that is taken. */
function typeBeside(types: readonly string[], bytes: Uint8Array): string | undefined {
  const type = sniff(bytes) ?? heifType(bytes)
  return type !== undefined && types.includes(type) ? undefined : type
}

const refuse = (why: Localized, param: string): never => fail('INVALID_MEDIA', { why }, { param })
