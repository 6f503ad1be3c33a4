import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { findFrames, isRf64, skipId3, sniff } from '#core/magic'
import type { Spool } from '#platform/spool'
import { beginsLikeMp4 } from './container/boxes.ts'
import type { Container } from './container/unpack.ts'
import { beginsLikeOggFlac, beginsLikeVorbis } from './decode.ts'
import { SoundError } from './fault.ts'
import { findFlacFrames, flacSearchBytes } from './flac-search.ts'
import type { RecordingSource } from './recording.ts'

/** How many bytes are read or passed on at once. */
const chunkBytes = 1 << 16
/** The bytes by which a file is recognised: two frames, after a tag or without one. */
const headBytes = 1 << 14

export const bytesOf = (source: RecordingSource): number =>
  source instanceof Uint8Array ? source.length : source.bytes

/** The bytes of a file: all of them, or from one offset up to another. */
export async function* chunksOf(
  source: RecordingSource,
  from = 0,
  to = bytesOf(source),
): AsyncGenerator<Uint8Array> {
  if (from >= to) return
  if (!(source instanceof Uint8Array)) {
    yield* createReadStream(source.path, { start: from, end: to - 1, highWaterMark: chunkBytes })
    return
  }
  for (let at = from; at < to; at += chunkBytes) yield source.subarray(at, Math.min(to, at + chunkBytes))
}

/**
 * Reads like `chunksOf`, for callers that use each chunk before they request the next: the chunks share one memory, and have whole samples. Hours of
 * sound are read again and again, and separate chunks would be a gigabyte of garbage.
 */
export async function* transientChunksOf(
  source: RecordingSource,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  if (source instanceof Uint8Array) return yield* chunksOf(source, from, to)
  await using file = await open(source.path)
  const room = Buffer.allocUnsafeSlow(Math.min(chunkBytes, to - from))
  for (let at = from; at < to; ) {
    const wanted = Math.min(room.length, to - at)
    let held = 0
    while (held < wanted) {
      const { bytesRead } = await file.read(room, held, wanted - held, at + held)
      if (bytesRead === 0) throw new SoundError('truncated')
      held += bytesRead
    }
    yield room.subarray(0, held)
    at += held
  }
}

/** A few bytes of a file; fewer where it ends. */
export async function bytesAt(source: RecordingSource, at: number, length: number): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source.subarray(at, at + length)
  await using file = await open(source.path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** A part of a file as a file of its own, behind a head where one is given. `folders` deletes it. */
export async function partOf(
  source: RecordingSource,
  { from, to, head = noBytes }: { from: number; to: number; head?: Uint8Array | undefined },
  spool: Spool,
  folders: AsyncDisposableStack,
): Promise<RecordingSource> {
  if (source instanceof Uint8Array) {
    const part = source.subarray(from, to)
    return head.length > 0 ? Buffer.concat([head, part]) : part
  }
  const chunks = async function* () {
    if (head.length > 0) yield head
    yield* chunksOf(source, from, to)
  }
  return folders.use(await spool.write(chunks(), { maxBytes: head.length + to - from }))
}

const noBytes = new Uint8Array(0)

/** The type of a file by its bytes; `media` is named as in `sniff`, also after a tag of any length. */
export interface RecognisedFile {
  container: Container | undefined
  media: string | undefined
  /** Where its sound begins: not at 0 in what somebody began to record in the middle of a frame. */
  from: number
  /** What has to stand before its sound there, where that leaves out what a decoder needs to know. */
  head: Uint8Array | undefined
  isVorbis: boolean
  isFlac: boolean
  /** Whether upstreams that take files of this type may not be able to read this one. */
  isUnusual: boolean
}

export async function recognise(source: RecordingSource): Promise<RecognisedFile> {
  const head = await bytesAt(source, 0, headBytes)
  const tag = skipId3(head)
  const behind = tag > 0 && tag < bytesOf(source) ? await bytesAt(source, tag, headBytes) : undefined
  const container = containerOf(head)
  // A tag mostly stands before mp3, but also before AAC.
  const named = (behind && sniff(behind)) ?? sniff(head)
  const frames = container || named !== undefined ? undefined : findFrames(head)
  const flac =
    container || named !== undefined || frames
      ? undefined
      : findFlacFrames(await bytesAt(source, 0, flacSearchBytes))
  const media = named ?? frames?.mediaType ?? (flac && 'audio/flac')
  const isOgg = media === 'audio/ogg'
  const isOggFlac = isOgg && beginsLikeOggFlac(head)
  return {
    container,
    media,
    from: frames?.at ?? flac?.at ?? 0,
    head: flac?.head,
    isVorbis: isOgg && beginsLikeVorbis(head),
    isFlac: isOggFlac || media === 'audio/flac',
    isUnusual: isOggFlac || isRf64(head),
  }
}

function containerOf(bytes: Uint8Array): Container | undefined {
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return 'matroska'
  return beginsLikeMp4(bytes) ? 'mp4' : undefined
}
