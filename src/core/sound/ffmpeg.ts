import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ConfinedResult, ConfinedRunner, Requester } from '#platform/confined'
import type { Spool, SpoolFolder } from '#platform/spool'
import { speechSampleRate } from './decode-pcm.ts'
import type { FfmpegSetting } from './settings.ts'

/**
 * The formats that ffmpeg is given, by its own names. `aac` is ADTS that was written here; the others are the files of callers as they came, and none
 * of them can refer to another file.
 */
export type FfmpegFormat = 'aac' | 'mov' | 'aiff' | 'caf' | 'asf' | 'amr'

export interface FfmpegWork extends Requester {
  format: FfmpegFormat
  file: string
  place: string
  folder: SpoolFolder
  timeoutMs: number
  /** The most seconds that are decoded. */
  maxSeconds: number
}

/** The operator's ffmpeg, which decodes what has no decoder here. */
export interface Ffmpeg {
  /** Decodes a file into another of its folder, as one channel of 16 kHz and 16 bits. */
  decode(work: FfmpegWork): Promise<ConfinedResult>
}

/** Returns ffmpeg, or undefined where there is none that works; it is searched for once. */
export type FindFfmpeg = () => Promise<Ffmpeg | undefined>

/** Three frames of silence: whether a program decodes them says more than its version. */
const sample = Buffer.from(
  '//FgQAOf/N4CAExhdmM1OS4zNy4xMDAAAjBADv/xYEABf/wBGCAH//FgQAF//AEYIAf/8WBAAX/8ARggB//xYEABf/wBGCAH',
  'base64',
)
const probeBytes = 1 << 20
const probeMs = 5_000
/** The memory of ffmpeg: decoding takes some megabytes, and its libraries are loaded too. */
const memoryMb = 400

export function openFfmpeg(confine: ConfinedRunner, spool: Spool, setting: FfmpegSetting): FindFfmpeg {
  let found: Promise<{ ffmpeg: Ffmpeg | undefined; isSure: boolean }> | undefined
  return async () => {
    found ??= find(confine, spool, setting)
    try {
      const { ffmpeg, isSure } = await found
      if (!isSure) found = undefined
      return ffmpeg
    } catch (error) {
      found = undefined
      throw error
    }
  }
}

async function find(confine: ConfinedRunner, spool: Spool, { places }: FfmpegSetting) {
  for (const program of places) {
    const isFile = await stat(program).then(
      (entry) => entry.isFile(),
      () => false,
    )
    if (!isFile) continue
    const ffmpeg = ffmpegAt(confine, program)
    const outcome = await tryDecoding(ffmpeg, spool)
    if (outcome === 'works') return { ffmpeg, isSure: true }
    if (outcome === 'unknown') return { ffmpeg: undefined, isSure: false }
  }
  return { ffmpeg: undefined, isSure: true }
}

async function tryDecoding(ffmpeg: Ffmpeg, spool: Spool): Promise<'works' | 'fails' | 'unknown'> {
  await using folder = await spool.folder(probeBytes)
  const file = path.join(folder.path, 'silence.aac')
  const place = path.join(folder.path, 'pcm')
  await writeFile(file, sample, { mode: 0o444 })
  const signal = new AbortController().signal
  const outcome = await ffmpeg.decode({
    ...{ format: 'aac', file, place, folder, timeoutMs: probeMs, maxSeconds: 1 },
    ...{ accountId: '', signal },
  })
  // On a busy machine ffmpeg may have run out of time.
  if ('lost' in outcome) return outcome.lost === 'broken' ? 'fails' : 'unknown'
  const bytes = await stat(place).then(
    ({ size }) => size,
    () => 0,
  )
  return bytes > 0 ? 'works' : 'fails'
}

const ffmpegAt = (confine: ConfinedRunner, program: string): Ffmpeg => ({
  decode: ({ file, folder, timeoutMs, accountId, signal, ...work }) =>
    confine({
      module: { path: program, args: argumentsFor({ ...work, file }) },
      accountId,
      signal,
      input: undefined,
      timeoutMs,
      maxOutputBytes: 1 << 16,
      memoryMb,
      files: [file],
      scratch: folder,
    }),
})

/** The decoders that ffmpeg may use, by its own names: those of speech as telephones and recorders write it, and none of pictures. */
const decoders = [
  ...['aac', 'alac', 'amrnb', 'amrwb', 'mp3', 'mp3float', 'flac', 'opus', 'adpcm_ima_qt'],
  ...['wmav1', 'wmav2', 'wmapro', 'wmalossless', 'wmavoice', 'pcm_u8', 'pcm_s8', 'pcm_alaw', 'pcm_mulaw'],
  ...['s16', 's24', 's32', 'f32', 'f64'].flatMap((kind) => [`pcm_${kind}le`, `pcm_${kind}be`]),
]

/** No argument comes from outside: the paths are the platform's, the format was found by the bytes, and no address but that of a file is opened. */
const argumentsFor = ({
  format,
  file,
  place,
  maxSeconds,
}: Pick<FfmpegWork, 'format' | 'file' | 'place' | 'maxSeconds'>): string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
  ...[
    '-protocol_whitelist',
    'file',
    '-codec_whitelist',
    decoders.join(','),
    '-f',
    format,
    '-i',
    `file:${file}`,
  ],
  ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-ac', '1', '-ar', String(speechSampleRate)],
  ...['-t', String(Math.ceil(maxSeconds)), '-c:a', 'pcm_s16le', '-f', 's16le', '-n', `file:${place}`],
]
