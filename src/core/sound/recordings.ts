import { type ConfinedRunner, type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import type { Spool } from '#platform/spool'
import { type DecodeOptions, decodeSound } from './decode.ts'
import { type FindFfmpeg, openFfmpeg } from './ffmpeg.ts'
import { foreignFile } from './foreign.ts'
import { openRecording } from './open-recording.ts'
import type { Sound } from './pcm.ts'
import type { OpenRecording, RecordingSource } from './recording.ts'
import type { FfmpegSetting } from './settings.ts'
import { chunksOf, recognise } from './source.ts'

/**
 * Reads whole files as people record them: WAV, MP3, FLAC, Opus, Vorbis and FLAC in Ogg, AAC in ADTS, and the first audio track of WebM, Matroska, MP4
 * and QuickTime with one of those in it. AAC is decoded where the operator has ffmpeg, which also reads AIFF, CAF, WMA, AMR and, in MP4, ALAC. A file
 * that breaks off is read up to its last whole frame. Throws `SoundError`, SPOOL_FULL and the signal's reason.
 */
export interface Recordings {
  /**
   * The sound of a whole file, one channel, at its own rate; at 16 kHz what is decoded in processes of their own, such as AAC and Vorbis.
   * `onTruncated` is called where the file breaks off.
   */
  decode(source: RecordingSource, requester: Requester, options?: DecodeOptions): AsyncGenerator<Sound>
  /** Recognises and measures a file, so that spans of it can be read. Throws `busy` where too many wait. */
  open: OpenRecording
  /** Whether the operator's ffmpeg was found and works. */
  hasFfmpeg(): Promise<boolean>
}

/** The tools by which recordings are read. */
export interface RecordingTools {
  /** Takes sound out of containers, in a second at most, except for files of hours. */
  unpacking: ConfinedRunner
  /** Decodes sound, in some minutes for hours of it. */
  decoding: ConfinedRunner
  spool: Spool
  ffmpeg: FindFfmpeg
}

const places = { working: 2, waiting: 64 }
const usualMaxSeconds = 3_600

export function openRecordings(
  { log, spool, setting }: { log: Log; spool: Spool; setting: FfmpegSetting },
  isolation?: FindIsolation,
): Recordings {
  const decoding = openConfinement(log, places, isolation)
  const workshop: RecordingTools = {
    unpacking: openConfinement(log, places, isolation),
    decoding,
    spool,
    ffmpeg: openFfmpeg(decoding, spool, setting),
  }
  return {
    async *decode(source, requester, options = {}) {
      const { container, media, from, head, isVorbis } = await recognise(source)
      const isOpened = container !== undefined || isVorbis || media === 'audio/aac' || foreignFile(media)
      const lenient = { ...options, onTruncated: options.onTruncated ?? (() => undefined) }
      if (!isOpened && from === 0 && !head) return yield* decodeSound(chunksOf(source), lenient)
      const { maxSeconds = usualMaxSeconds } = options
      await using recording = await openRecording(workshop, source, requester, { maxSeconds })
      yield* recording.wholeSound(options)
    },
    open: (source, requester, options) => openRecording(workshop, source, requester, options),
    hasFfmpeg: async () => (await workshop.ffmpeg()) !== undefined,
  }
}
