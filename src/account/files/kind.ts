import { isUtf8 } from 'node:buffer'
import { findFrames } from '#core/magic'
import { mediaTypeOf, sniff } from '#core/media'
import { findFlacFrames, flacSearchBytes } from '#core/sound'
import { csv, dataKindOf, docx, type FileHints, json, plainText, tsv, xlsx } from './data-kind.ts'
import type { Probe } from './probe.ts'

/** The stored media types with their file extensions. */
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
  'audio/webm': 'webm',
  'audio/aac': 'aac',
  'audio/aiff': 'aiff',
  'audio/x-caf': 'caf',
  'audio/x-ms-wma': 'wma',
  'audio/amr': 'amr',
  [csv]: 'csv',
  [tsv]: 'tsv',
  [xlsx]: 'xlsx',
  [json]: 'json',
  'application/pdf': 'pdf',
  [docx]: 'docx',
  [plainText]: 'txt',
}

/** Media types that an analysis reads. */
export const dataTypes: readonly string[] = [csv, tsv, json, xlsx]

export const mediaTypes: readonly string[] = Object.keys(endings)

/** Extensions of types that are made here and never uploaded. */
const generatedEndings: Record<string, string> = { 'audio/pcm': 'pcm', 'video/mp4': 'mp4' }

/** The types that a stored file may have; `audio/pcm` has its rate and channels as parameters. */
export const servedTypes: readonly string[] = [...mediaTypes, ...Object.keys(generatedEndings)]

export function endingOf(mediaType: string): string {
  const plain = mediaTypeOf(mediaType)
  return endings[plain] ?? generatedEndings[plain] ?? 'bin'
}

/** The limit of images, and of every file that comes as JSON; recordings, documents and files of data may be ten times as large. */
export const maxMediaBytes = 20 * 1024 * 1024
export const maxDataBytes = 200 * 1024 * 1024

export interface FileKind {
  mediaType: string
  maxBytes: number
}

/** The media type of a recording by its tracks, if it has no pictures; undefined for every other file. */
export type TrackedType = () => Promise<string | undefined>

/** The kind of a file; undefined if its type is not supported. */
export async function kindOf(
  probe: Probe,
  hints: FileHints,
  trackedType: TrackedType,
): Promise<FileKind | undefined> {
  const head = await probe.read(0, headBytes)
  const sniffed = sniff(head) ?? ((await isSvg(probe)) ? 'image/svg+xml' : undefined)
  // Films and recordings begin with the same bytes, and some recordings in the middle of a frame.
  const isTracked =
    sniffed?.startsWith('video/') || isAdts(head) || (!sniffed && (await isBegunRecording(probe, head)))
  const media = isTracked ? await trackedType() : sniffed
  if (media !== undefined || sniffed !== undefined)
    return media !== undefined && Object.hasOwn(endings, media)
      ? { mediaType: media, maxBytes: media.startsWith('image/') ? maxMediaBytes : maxDataBytes }
      : undefined
  const mediaType = await dataKindOf(probe, hints)
  return mediaType === undefined ? undefined : { mediaType, maxBytes: maxDataBytes }
}

/** Whether a file of this type is a text that looks as others do, so that a declared type of another one is a mistake. */
export const isPlainText = (mediaType: string): boolean => [csv, tsv, json].includes(mediaType)

/** Some frames of a recording that begins in the middle of one, too. */
const headBytes = 16_384

/** Whether these are frames of sound that somebody began to record in the middle of one. */
const isBegunRecording = async (probe: Probe, head: Uint8Array): Promise<boolean> =>
  findFrames(head) !== undefined || findFlacFrames(await probe.read(0, flacSearchBytes)) !== undefined

/** The sync word of a frame of bare AAC (ISO 14496-3, 1.A.2.2), whose layer is always 0. */
const isAdts = (head: Uint8Array): boolean => head[0] === 0xff && (head[1]! & 0xf6) === 0xf0

/** What may stand before the root element: byte order mark, declaration and comments. A DOCTYPE with entities is refused. */
const beforeRoot = /^\ufeff?(?:\s+|<\?xml[^>]{0,200}\?>|<!--[\s\S]{0,2000}?-->|<!DOCTYPE\s+svg[^[>]{0,300}>)*/

async function isSvg(probe: Probe): Promise<boolean> {
  const head = (await probe.read(0, headBytes)).toString('utf8')
  const root = head.slice(beforeRoot.exec(head)![0].length)
  return /^<svg[\s>]/.test(root) && probe.bytes <= maxMediaBytes && isUtf8(await probe.read(0, probe.bytes))
}
