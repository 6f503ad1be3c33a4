import { isUtf8 } from 'node:buffer'
import { sniff } from '#engine/media'

/** What is stored, and the ending of its name. */
const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
}

export const mediaTypes: readonly string[] = Object.keys(endings)

/** Other names that senders have for them. */
const aliases: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
}

export const endingOf = (mediaType: string): string => endings[mediaType] ?? 'bin'

/** The media type by the bytes alone; undefined for what is no image or audio that is stored here. */
export function kindOf(bytes: Uint8Array): string | undefined {
  const type = sniff(bytes) ?? (isSvg(bytes) ? 'image/svg+xml' : undefined)
  return type !== undefined && Object.hasOwn(endings, type) ? type : undefined
}

/** Whether a sender's name for the type means this one. */
export function means(claimed: string, mediaType: string): boolean {
  const plain = claimed.split(';', 1)[0]!.trim().toLowerCase()
  return (Object.hasOwn(aliases, plain) ? aliases[plain] : plain) === mediaType
}

/** What may stand before the root: marks, declarations and remarks. A document type with entities of its own is not taken. */
const beforeRoot = /^\ufeff?(?:\s+|<\?xml[^>]{0,200}\?>|<!--[\s\S]{0,2000}?-->|<!DOCTYPE\s+svg[^[>]{0,300}>)*/

function isSvg(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8_192)).toString('utf8')
  const root = head.slice(beforeRoot.exec(head)![0].length)
  return /^<svg[\s>]/.test(root) && isUtf8(bytes)
}
