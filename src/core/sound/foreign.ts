/** Files that only the operator's ffmpeg reads: recorders and telephones write them, and no vendor takes them as they are. */
import { Slice } from '#platform/slices'
import type { FfmpegFormat } from './ffmpeg.ts'
import type { RecordingSource } from './recording.ts'
import { bytesAt, bytesOf, chunksOf } from './source.ts'

/** A file, or the sound in a container, that ffmpeg decodes. `codec` is what a refusal calls it. */
export interface ForeignSound {
  format: FfmpegFormat
  codec: string
}

/** They stand under the media types of `sniff`. */
const formats: Readonly<Record<string, ForeignSound>> = {
  'audio/aiff': { format: 'aiff', codec: 'aiff' },
  'audio/x-caf': { format: 'caf', codec: 'caf' },
  'audio/x-ms-wma': { format: 'asf', codec: 'wma' },
  'audio/amr': { format: 'amr', codec: 'amr' },
}

/** Sound in MP4 and QuickTime, by the names of its sample entries. */
const entries: Readonly<Record<string, string>> = { alac: 'alac', samr: 'amr', sawb: 'amr' }

export const foreignFile = (mediaType: string | undefined): ForeignSound | undefined =>
  mediaType !== undefined && Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined

/** What ffmpeg decodes of an MP4 whose sound mediabunny does not know. */
export const foreignEntry = (name: string | null): ForeignSound | undefined =>
  name !== null && Object.hasOwn(entries, name) ? { format: 'mov', codec: entries[name]! } : undefined

/** Whether sound of this codec is read here only where the operator has ffmpeg. */
export const needsFfmpeg = (codec: string | undefined): boolean =>
  codec === 'aac' ||
  [...Object.values(formats).map((one) => one.codec), ...Object.values(entries)].some((one) => one === codec)

/** Whether a file has less than it declares, or ends within a frame. */
export async function isCutForeign({ format }: ForeignSound, source: RecordingSource): Promise<boolean> {
  const bytes = bytesOf(source)
  if (format === 'aiff') {
    const declared = await readNumber(source, 4, 4, 'be')
    return declared < openLength && 8 + declared > bytes
  }
  if (format === 'asf') return (await asfBytes(source)) > bytes
  if (format === 'amr') return (await endOfAmr(source)) > bytes
  return format === 'caf' && (await endOfCaf(source)) > bytes
}

/** Writers to a pipe leave the greatest of their integers. */
const openLength = 0x7fff_0000

async function readNumber(
  source: RecordingSource,
  at: number,
  width: 4 | 8,
  order: 'be' | 'le',
): Promise<number> {
  const read = Buffer.from(await bytesAt(source, at, width))
  if (read.length < width) return 0
  if (width === 4) return order === 'be' ? read.readUInt32BE() : read.readUInt32LE()
  return Number(order === 'be' ? read.readBigInt64BE() : read.readBigInt64LE())
}

/** The name of the object of ASF that states the length of the file, which follows it, its own length and the name of the file. */
const fileProperties = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex')
const asfHeadBytes = 8_192

async function asfBytes(source: RecordingSource): Promise<number> {
  const at = Buffer.from(await bytesAt(source, 0, asfHeadBytes)).indexOf(fileProperties)
  return at < 0 ? 0 : readNumber(source, at + 40, 8, 'le')
}

/** The most chunks of CAF that are looked at; a file has some ten. */
const maxChunks = 100

/** Where the sound of a CAF ends, as its chunks state it; 0 where they leave it open. */
async function endOfCaf(source: RecordingSource): Promise<number> {
  const bytes = bytesOf(source)
  let at = 8
  for (let chunk = 0; chunk < maxChunks && at + 12 <= bytes; chunk++) {
    const name = Buffer.from(await bytesAt(source, at, 4)).toString('latin1')
    const size = await readNumber(source, at + 4, 8, 'be')
    if (size < 0) return 0
    at += 12 + size
    if (name === 'data') return at
  }
  return at
}

/** The bytes of a frame of AMR (RFC 4867, 5.3) by its type: of narrow and of wide band. The other types have only their head. */
const amrFrames = {
  '#!AMR\n': [13, 14, 16, 18, 20, 21, 27, 32, 6],
  '#!AMR-WB\n': [18, 24, 33, 37, 41, 47, 51, 59, 61, 6],
} as const

/** Where the last frame of an AMR ends. */
async function endOfAmr(source: RecordingSource): Promise<number> {
  const head = Buffer.from(await bytesAt(source, 0, 9)).toString('latin1')
  const [magic, sizes] = Object.entries(amrFrames).find(([name]) => head.startsWith(name)) ?? []
  if (!magic || !sizes) return 0
  let at = magic.length
  let passed = 0
  const slice = new Slice()
  for await (const chunk of chunksOf(source)) {
    if (slice.isOver()) await slice.next()
    for (; at < passed + chunk.length; at += sizes[(chunk[at - passed]! >> 3) & 15] ?? 1);
    passed += chunk.length
  }
  return at
}
