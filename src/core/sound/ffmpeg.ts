import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ConfinedResult, ConfinedRunner, Requester } from '#platform/confined'
import type { Spool, SpoolFolder } from '#platform/spool'
import { speechSampleRate } from './decode-pcm.ts'
import type { FfmpegSetting } from './settings.ts'

/** The operator's ffmpeg, which decodes what has no decoder here: AAC. */
export interface Ffmpeg {
  /** Decodes ADTS into a file of its folder, as one channel of 16 kHz and 16 bits. */
  decodeAac(
    work: { file: string; place: string; folder: SpoolFolder; timeoutMs: number } & Requester,
  ): Promise<ConfinedResult>
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
  const outcome = await ffmpeg.decodeAac({ file, place, folder, timeoutMs: probeMs, accountId: '', signal })
  // On a busy machine ffmpeg may have run out of time.
  if ('lost' in outcome) return outcome.lost === 'broken' ? 'fails' : 'unknown'
  const bytes = await stat(place).then(
    ({ size }) => size,
    () => 0,
  )
  return bytes > 0 ? 'works' : 'fails'
}

const ffmpegAt = (confine: ConfinedRunner, program: string): Ffmpeg => ({
  decodeAac: ({ file, place, folder, timeoutMs, accountId, signal }) =>
    confine({
      module: { path: program, args: argumentsFor(file, place) },
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

/** No argument comes from outside: the paths are the platform's, the format is the one that it wrote, and no address but that of a file is opened. */
const argumentsFor = (file: string, place: string): string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
  ...['-protocol_whitelist', 'file', '-f', 'aac', '-i', `file:${file}`],
  ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-ac', '1', '-ar', String(speechSampleRate)],
  ...['-c:a', 'pcm_s16le', '-f', 's16le', '-n', `file:${place}`],
]
