/** ffmpeg as an independent judge of sound: it makes files, decodes ours, and measures. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const hasFfmpeg = ['ffmpeg', 'ffprobe'].every((name) => spawnSync(name, ['-version']).status === 0)
if (!hasFfmpeg) console.warn('ffmpeg and ffprobe are not installed: sound is not judged by them')

/** Whether its build brings a voice. */
export const hasVoice =
  hasFfmpeg && spawnSync('ffmpeg', ['-v', 'error', '-filters']).stdout.includes(' flite ')
if (hasFfmpeg && !hasVoice)
  console.warn('this ffmpeg was built without flite: no voice is detected in the tests')

/** What ffmpeg writes on both lines. */
export function ffmpeg(args: string[], input?: Uint8Array): { output: Buffer; messages: string } {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-hide_banner', ...args], {
    input: input ?? '',
    maxBuffer: 1 << 28,
  })
  if (status !== 0) throw new Error(`ffmpeg ${args.join(' ')}: ${stderr}`)
  return { output: stdout, messages: stderr.toString() }
}

/** What ffprobe says of a file, in JSON. */
export function ffprobe(args: string[]): string {
  const { stdout, stderr, status } = spawnSync('ffprobe', ['-v', 'warning', '-of', 'json', ...args])
  if (status !== 0 || stderr.length > 0) throw new Error(`ffprobe ${args.join(' ')}: ${stderr}`)
  return stdout.toString()
}

export const floatsOf = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

/** A file for the time of one look: some answers of ffmpeg need to know how long it is. */
export function withFile<Result>(
  bytes: Uint8Array,
  extension: string,
  act: (file: string) => Result,
): Result {
  const folder = mkdtempSync(path.join(tmpdir(), 'sound-'))
  try {
    const file = path.join(folder, `sound.${extension}`)
    writeFileSync(file, bytes)
    return act(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What ffprobe says of a file; `messages` are its warnings. */
export function probe(bytes: Uint8Array, extension: string) {
  return withFile(bytes, extension, (file) => {
    const show = 'stream=codec_name,sample_rate,channels:format=duration'
    const { stdout, stderr } = spawnSync('ffprobe', [
      '-v',
      'warning',
      '-show_entries',
      show,
      '-of',
      'json',
      file,
    ])
    const { streams, format } = JSON.parse(stdout.toString())
    const { codec_name, sample_rate, channels } = streams[0]
    return {
      codec: codec_name as string,
      rate: Number(sample_rate),
      channels: channels as number,
      seconds: Number(format.duration),
      messages: stderr.toString(),
    }
  })
}
