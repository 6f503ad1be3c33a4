/** Files as people record them: the first audio track of WebM, Matroska, MP4 and QuickTime is what ffmpeg decodes, and is as long as it was. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { ffmpeg, floatsOf, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import { correlation, greatestDifference, outcome, speechLike, whole } from '../../core/sound/samples.ts'
import { recordingsRoom, requester } from './room.ts'

const recordings = await recordingsRoom()
const read = (bytes: Uint8Array, maxSeconds = 60) => recordings.decode(bytes, requester, { maxSeconds })

const rate = 48_000
const seconds = 1.234
const source = (channels: number) => [
  '-v', 'error', '-f', 'lavfi', '-i', `aevalsrc=${Array.from({ length: channels }, (_, index) => `0.4*sin(2*PI*${300 + 200 * index}*t)*abs(sin(3*t))`).join('|')}:s=${rate}:d=${seconds}`,
] // biome-ignore format: arguments of a program
const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:d=1.2']

/** Written to a file, or as it goes where nothing can be written afterwards. */
const made = (channels: number, args: string[], isStreamed = false): Buffer =>
  isStreamed
    ? ffmpeg([...source(channels), ...args, 'pipe:1']).output
    : withFile(new Uint8Array(0), 'bin', (file) => {
        ffmpeg([...source(channels), ...args, '-y', file])
        return readFileSync(file)
      })

/** One channel: the mean, as here. */
const judged = (bytes: Uint8Array, channels: number): Float32Array =>
  withFile(bytes, 'bin', (file) => {
    const mean = Array.from({ length: channels }, (_, index) => `${1 / channels}*c${index}`).join('+')
    const filter = `aformat=sample_fmts=flt,pan=mono|c0=${mean}`
    return floatsOf(ffmpeg(['-v', 'error', '-i', file, '-vn', '-af', filter, '-f', 'f32le', '-']).output)
  })

/** As recorders write them: they do not know yet how long a cluster will be. */
function withoutSizes(webm: Buffer): Buffer {
  const id = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
  const pieces: Buffer[] = []
  let from = 0
  for (let at = webm.indexOf(id); at >= 0; at = webm.indexOf(id, at + 4)) {
    const width = Math.clz32(webm[at + 4]!) - 23
    pieces.push(webm.subarray(from, at + 4), Buffer.from('01ffffffffffffff', 'hex'))
    from = at + 4 + width
  }
  return Buffer.concat([...pieces, webm.subarray(from)])
}

const opus = ['-c:a', 'libopus', '-b:a', '64k']
const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '300000']
const files: Record<string, (channels: number) => Buffer> = {
  'Opus in WebM': (channels) => made(channels, [...opus, '-f', 'webm']),
  'Opus in WebM without a length': (channels) => made(channels, [...opus, '-f', 'webm'], true),
  'Opus in WebM without sizes of clusters': (channels) =>
    withoutSizes(made(channels, [...opus, '-cluster_time_limit', '200', '-f', 'webm'], true)),
  'Opus in WebM beside pictures': (channels) =>
    made(channels, [...picture, ...opus, '-c:v', 'libvpx', '-map', '1:v', '-map', '0:a', '-f', 'webm']),
  'Opus in Matroska': (channels) => made(channels, [...opus, '-f', 'matroska']),
  'Opus in MP4, its index last': (channels) => made(channels, [...opus, '-f', 'mp4']),
  'Opus in MP4, its index first': (channels) => made(channels, [...opus, '-movflags', '+faststart', '-f', 'mp4']),
  'Opus in MP4 in fragments': (channels) => made(channels, [...opus, ...fragments, '-f', 'mp4'], true),
  'Opus in MP4 beside pictures': (channels) =>
    made(channels, [...picture, ...opus, '-c:v', 'mpeg4', '-map', '1:v', '-map', '0:a', '-f', 'mp4']),
  'FLAC in MP4': (channels) => made(channels, ['-c:a', 'flac', '-strict', '-2', '-f', 'mp4']),
  'FLAC in Matroska': (channels) => made(channels, ['-c:a', 'flac', '-f', 'matroska']),
  'MP3 in MP4': (channels) => made(channels, ['-c:a', 'libmp3lame', '-f', 'mp4']),
  'floats in Matroska': (channels) => made(channels, ['-c:a', 'pcm_f32le', '-f', 'matroska']),
  'PCM of QuickTime, the highest byte first': (channels) => made(channels, ['-c:a', 'pcm_s24be', '-f', 'mov']),
} // biome-ignore format: a table

describe.skipIf(!hasFfmpeg)('judged by ffmpeg', () => {
  for (const [name, file] of Object.entries(files))
    for (const channels of [1, 2])
      test(`${name}, ${channels === 1 ? 'mono' : 'stereo'}: the sound of ffmpeg, as long as what was recorded`, async () => {
        const bytes = file(channels)
        const expected = judged(bytes, channels)
        const sound = await whole(read(bytes))
        expect(sound.rate).toBe(rate)
        expect(sound.samples.length).toBe(rate * seconds)
        expect(expected.length).toBeGreaterThanOrEqual(rate * seconds)
        if (/FLAC|floats|PCM/.test(name))
          expect(greatestDifference(sound.samples, expected)).toBeLessThan(1e-6)
        else expect(correlation(sound.samples, expected)).toBeGreaterThan(0.999)
      })

  test('an editor’s list in an MP4 shows a part of it, and no more than that is heard', async () => {
    const bytes = withFile(files['Opus in MP4, its index last']!(1), 'mp4', (file) => {
      ffmpeg(['-v', 'error', '-ss', '0.5', '-i', file, '-c', 'copy', '-f', 'mp4', '-y', `${file}.cut.mp4`])
      return readFileSync(`${file}.cut.mp4`)
    })
    const sound = await whole(read(bytes))
    const all = judged(bytes, 1)
    expect(sound.samples.length / rate).toBeCloseTo(0.734, 1)
    expect(correlation(sound.samples, all)).toBeGreaterThan(0.999)
  })

  test('films without sound, and codecs that are not read here, are named', async () => {
    const silent = ffmpeg(['-v', 'error', ...picture, '-c:v', 'libvpx', '-f', 'webm', 'pipe:1']).output
    expect(await outcome(read(silent))).toBe('no_track')
    const ac3 = made(1, ['-c:a', 'ac3', '-f', 'mp4'])
    await expect(whole(read(ac3))).rejects.toMatchObject({
      fault: 'unsupported',
      codec: 'ac3',
      mediaType: 'audio/mp4',
    })
  })

  test('sound beyond the allowed seconds ends', async () => {
    expect(await outcome(read(files['Opus in WebM']!(1), 1))).toBe('too_long')
  })
})

test('what needs no container is read as ever, and rubbish is not', async () => {
  const { bytes } = await encodeWhole([speechLike(24_000, 0.5)], { format: 'wav', maxBytes: 1e6 })
  expect(await outcome(read(bytes))).toBe(12_000)
  expect(await outcome(read(Buffer.from('nothing that sounds')))).toBe('unrecognised')
})
