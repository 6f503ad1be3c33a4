/** Media inside a request, decoded and measured. Throws INVALID_MEDIA, before anything is held. */

import { fromHeif, heifTypes, isHeif, isTooLarge, measure, parseDataUrl, referencePicture } from '#core/media'
import type { Media } from '#core/turn'
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

/** Media in a data URL that declares one of these types; the bytes must be of the declared type. */
export function inlineMedia(url: string, types: readonly string[], param: string, orLink = false): Media {
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(reasons.notInline(types[0]!, orLink), param)
  if (!types.includes(parsed.mediaType)) return refuse(reasons.wrongType(types), param)
  return base64Media(parsed.base64, [parsed.mediaType], param)
}

/** A large picture in a data URL of at most `characters` characters, decoded without holding the event loop. */
export async function largePicture(
  url: string,
  types: readonly string[],
  param: string,
  characters: number,
): Promise<Media> {
  if (url.length > characters) return refuse(reasons.tooLong(characters), param)
  const parsed = parseDataUrl(url)
  if (!parsed) return refuse(reasons.notInline(types[0]!, false), param)
  if (![...types, ...heifTypes].includes(parsed.mediaType)) return refuse(reasons.wrongType(types), param)
  const bytes = await decodeBase64InSlices(parsed.base64)
  await noteReleasedText(url.length)
  return pictureMedia(bytes, [parsed.mediaType], param)
}

/**
 * A picture of bytes that must be of one of these types. AVIF is decoded here and becomes JPEG or PNG, and so is HEIC where the decoder reads it.
 * Throws TOO_MUCH_IN_FLIGHT too.
 */
export async function pictureMedia(
  bytes: Uint8Array | undefined,
  types: readonly string[],
  param: string,
): Promise<Media> {
  if (!bytes || !isHeif(bytes)) return mediaOf(bytes, types, param)
  const readable = await fromHeif(bytes)
  return readable ? mediaOf(readable, imageTypes, param) : refuse(reasons.unreadHeif, param)
}

/** A large picture that is encoded anew before it leaves this server: upright, within 2,048 pixels, with nothing beside its pixels. */
export async function cleanPicture(
  url: string,
  types: readonly string[],
  param: string,
  characters: number,
): Promise<Media> {
  const picture = await largePicture(url, types, param, characters)
  return (await referencePicture(picture)) ?? refuse(reasons.undecodable, param)
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
  if (!media?.mediaType || !types.includes(media.mediaType)) return refuse(reasons.otherBytes(types), param)
  if (/^(audio|video)\//.test(media.mediaType) && media.durationSeconds === undefined)
    return refuse(reasons.noLength, param)
  return isTooLarge(media) ? refuse(reasons.vast, param) : { ...media, param }
}

const refuse = (why: Localized, param: string): never => fail('INVALID_MEDIA', { why }, { param })
