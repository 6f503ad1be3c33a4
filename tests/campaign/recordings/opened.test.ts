/** Recordings that are opened: measured before any call to the sample, read by spans, cut by packets, whatever they came in. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { levelsOf, type Recording, type RecordingSource } from '#core/sound'
import { ffmpeg, floatsOf, hasFfmpeg, withFile } from '../../core/sound/ffmpeg.ts'
import { correlation, greatestDifference, whole } from '../../core/sound/samples.ts'
import { recordingsRoom, requester } from './room.ts'

const recordings = await recordingsRoom()
const without = await recordingsRoom({ places: [] })
const folder = mkdtempSync(path.join(tmpdir(), 'opened-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open = (source: RecordingSource, maxSeconds = 3_600): Promise<Recording> =>
  recordings.open(source, requester, { maxSeconds })

let files = 0
/** The same bytes as a file on the disk. */
function onDisk(bytes: Uint8Array): { path: string; bytes: number } {
  const place = path.join(folder, `${files++}.bin`)
  writeFileSync(place, bytes)
  return { path: place, bytes: bytes.length }
}

const seconds = 1.25
const tone = (rate: number, channels: number, length = seconds) => [
  '-v', 'error', '-f', 'lavfi', '-i', `aevalsrc=${Array.from({ length: channels }, (_, index) => `0.4*sin(2*PI*${300 + 200 * index}*t)*abs(sin(3*t))`).join('|')}:s=${rate}:d=${length}`,
] // biome-ignore format: arguments of a program
const film = ['-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10:d=1.2']

/** Written to a file, or as it goes where nothing can be written afterwards. */
const made = (
  args: string[],
  { rate = 44_100, channels = 1, length = seconds, isStreamed = false } = {},
): Buffer =>
  isStreamed
    ? ffmpeg([...tone(rate, channels, length), ...args, 'pipe:1']).output
    : withFile(new Uint8Array(0), 'bin', (file) => {
        ffmpeg([...tone(rate, channels, length), ...args, '-y', file])
        return readFileSync(file)
      })

/** What ffmpeg hears, at 16 kHz. */
const judged = (bytes: Uint8Array): Float32Array =>
  withFile(bytes, 'bin', (file) =>
    floatsOf(
      ffmpeg(['-v', 'error', '-i', file, '-vn', '-ac', '1', '-ar', '16000', '-f', 'f32le', '-']).output,
    ),
  )

interface Kind {
  args: string[]
  mediaType: string
  codec: string
  /** How much longer it may be than what was recorded: the padding of an encoder that no byte of the file tells. */
  padding?: number
  isStreamed?: boolean
  rate?: number
}

const opus = ['-c:a', 'libopus', '-b:a', '48k']
const aac = ['-c:a', 'aac', '-b:a', '64k']
const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '300000']
const kinds: Record<string, Kind> = {
  'a WAV': { args: ['-f', 'wav'], mediaType: 'audio/wav', codec: 'pcm' },
  'a WAV of open length': { args: ['-f', 'wav'], mediaType: 'audio/wav', codec: 'pcm', isStreamed: true },
  'an MP3 with its table': { args: ['-q:a', '4', '-f', 'mp3'], mediaType: 'audio/mpeg', codec: 'mp3' },
  'an MP3 of changing rates without a table': { args: ['-q:a', '4', '-write_xing', '0', '-f', 'mp3'], mediaType: 'audio/mpeg', codec: 'mp3', padding: 0.09 },
  'a FLAC': { args: ['-c:a', 'flac', '-f', 'flac'], mediaType: 'audio/flac', codec: 'flac' },
  'a FLAC that was streamed': { args: ['-c:a', 'flac', '-f', 'flac'], mediaType: 'audio/flac', codec: 'flac', isStreamed: true },
  'Opus in Ogg': { args: [...opus, '-f', 'ogg'], mediaType: 'audio/ogg', codec: 'opus', rate: 48_000, padding: 0.02 },
  'Vorbis in Ogg': { args: ['-c:a', 'libvorbis', '-f', 'ogg'], mediaType: 'audio/ogg', codec: 'vorbis' },
  'AAC in ADTS': { args: [...aac, '-f', 'adts'], mediaType: 'audio/aac', codec: 'aac', padding: 0.06 },
  'AAC in an m4a': { args: [...aac, '-f', 'ipod'], mediaType: 'audio/mp4', codec: 'aac' },
  'AAC in an MP4 of fragments, as Safari records': { args: [...aac, ...fragments, '-f', 'mp4'], mediaType: 'audio/mp4', codec: 'aac', isStreamed: true, padding: 0.06 },
  'AAC in Matroska': { args: [...aac, '-f', 'matroska'], mediaType: 'audio/webm', codec: 'aac', padding: 0.06 },
  'Opus in WebM without a length, as browsers record': { args: [...opus, '-f', 'webm'], mediaType: 'audio/webm', codec: 'opus', isStreamed: true, rate: 48_000, padding: 0.001 },
  'Vorbis in WebM': { args: ['-c:a', 'libvorbis', '-f', 'webm'], mediaType: 'audio/webm', codec: 'vorbis', padding: 0.03 },
} // biome-ignore format: a table

describe.skipIf(!hasFfmpeg)('judged by ffmpeg', () => {
  for (const [
    name,
    { args, mediaType, codec, padding = 0, isStreamed = false, rate = 44_100 },
  ] of Object.entries(kinds))
    test(`${name} is measured exactly, by its bytes alone, and its sound is as long and that of ffmpeg`, async () => {
      for (const channels of [1, 2]) {
        const bytes = made(args, { rate, channels, isStreamed })
        const expected = judged(bytes)
        for (const source of [bytes, onDisk(bytes)]) {
          await using recording = await open(source)
          const { measured } = recording
          expect(measured).toMatchObject({
            mediaType,
            codec,
            rate,
            channels,
            isDecodable: true,
            hasVideo: false,
          })
          expect(measured.seconds).toBeGreaterThanOrEqual(seconds - 1e-9)
          expect(measured.seconds).toBeLessThanOrEqual(seconds + padding + 1e-9)
          expect(measured.packetSeconds).toBeGreaterThanOrEqual(measured.seconds - 1e-9)
          const sound = await whole(recording.sound())
          expect(sound.rate).toBe(16_000)
          expect(Math.abs(sound.samples.length - measured.seconds * 16_000)).toBeLessThanOrEqual(1)
          expect(correlation(sound.samples, expected)).toBeGreaterThan(0.995)
        }
      }
    })

  describe('HE-AAC, announced as SBR or parametric stereo over blocks of half the rate,', () => {
    const config = Buffer.from([0x13, 0x88, 0x56, 0xe5, 0x00])
    /** No encoder here makes it: these are blocks of AAC-LC of 22,050 Hz, with what HE-AAC of 44,100 Hz says before them. */
    const announced = (args: string[], first: number): Buffer => {
      const bytes = made([...aac, ...args], { rate: 22_050, length: 3 })
      const at = bytes.indexOf(config)
      expect(at).toBeGreaterThan(0)
      bytes.set([first, 0x8a, 0x08, 0x00, 0x00], at)
      return bytes
    }
    /** Written anew by a program that believes it: the clock of the file has 44,100 ticks a second, and 2,048 for a block. */
    const again = (bytes: Buffer, args: string[]): Buffer =>
      withFile(bytes, 'bin', (file) =>
        withFile(new Uint8Array(0), 'bin', (out) => {
          ffmpeg(['-v', 'error', '-i', file, '-c', 'copy', ...args, '-y', out])
          return readFileSync(out)
        }),
      )
    test.each([
      ['in an m4a', ['-f', 'ipod']],
      ['in fragments', [...fragments, '-f', 'mp4']],
      ['in Matroska', ['-f', 'matroska']],
    ])('%s, is as long as it sounds, not twice or half of it', async (_, args) => {
      for (const first of [0x2b, 0xeb])
        for (const bytes of [announced(args, first), again(announced(['-f', 'ipod'], first), args)]) {
          const heard = judged(bytes).length / 16_000
          for (const room of [recordings, without]) {
            await using recording = await room.open(bytes, requester, { maxSeconds: 3_600 })
            const { measured } = recording
            expect(measured.codec).toBe('aac')
            // Two blocks at most, which are padding of the encoder.
            expect(Math.abs(measured.seconds - 3)).toBeLessThanOrEqual((2 * 1_024) / 22_050)
            expect(Math.abs(measured.seconds - heard)).toBeLessThanOrEqual((2 * 1_024) / 22_050)
            expect(measured.packetSeconds).toBeLessThanOrEqual(3 + (3 * 1_024) / 22_050)
            if (room === without) continue
            const sound = await whole(recording.sound())
            expect(Math.abs(sound.samples.length - measured.seconds * 16_000)).toBeLessThanOrEqual(1)
          }
        }
    })
  })

  test('tracks decide, not the brand: pictures make a film of an MP4 and a WebM, and none make a recording of either', async () => {
    const beside = ['-map', '1:v', '-map', '0:a']
    for (const [args, mediaType] of [
      [[...film, ...beside, ...opus, '-c:v', 'libvpx', '-f', 'webm'], 'video/webm'],
      [[...film, ...beside, ...aac, '-c:v', 'mpeg4', '-f', 'mp4'], 'video/mp4'],
      [[...film, ...beside, ...aac, '-c:v', 'mpeg4', '-f', 'ipod'], 'video/mp4'],
    ] as const) {
      await using recording = await open(made([...args], { rate: 48_000 }))
      expect(recording.measured).toMatchObject({ mediaType, hasVideo: true })
    }
    for (const brand of ['mp4', 'mov', '3gp', 'ipod']) {
      const rate = brand === '3gp' ? 16_000 : 48_000
      await using recording = await open(made([...aac, '-f', brand], { rate }))
      expect(recording.measured, brand).toMatchObject({
        mediaType: 'audio/mp4',
        codec: 'aac',
        hasVideo: false,
      })
    }
  })

  test('what an editor hid, and a further track that is longer, are told beside what is heard', async () => {
    const edited = withFile(made([...aac, '-f', 'mp4'], { length: 3 }), 'mp4', (file) => {
      ffmpeg(['-v', 'error', '-ss', '2', '-i', file, '-c', 'copy', '-f', 'mp4', '-y', `${file}.cut.mp4`])
      return readFileSync(`${file}.cut.mp4`)
    })
    await using cut = await open(edited)
    expect(cut.measured.seconds).toBeCloseTo(1, 1)
    const second = ['-f', 'lavfi', '-i', 'sine=duration=5', '-map', '0:a', '-map', '1:a']
    await using two = await open(made([...second, ...opus, '-f', 'webm'], { rate: 48_000 }))
    expect(two.measured.seconds).toBeCloseTo(seconds, 2)
    expect(two.measured.packetSeconds).toBeGreaterThan(4.9)
  })

  test('what follows the segment of a WebM, and a second index of an MP4, is not heard here and never sent as it is', async () => {
    const webm = made([...opus, '-f', 'webm'], { rate: 48_000 })
    const mp4 = made([...aac, '-f', 'mp4'])
    const index = mp4.subarray(mp4.indexOf('moov') - 4)
    for (const bytes of [Buffer.concat([webm, webm]), Buffer.concat([mp4, index])]) {
      await using recording = await open(bytes)
      expect(recording.measured.seconds).toBeCloseTo(seconds, 2)
      expect(recording.measured.packetSeconds).toBe(Number.POSITIVE_INFINITY)
    }
  })

  test('a tag longer than what is looked at first hides neither MP3 nor AAC', async () => {
    const tag = Buffer.alloc(200_000)
    tag.write('ID3\x04')
    tag.set([(tag.length - 10) >> 14, ((tag.length - 10) >> 7) & 127, (tag.length - 10) & 127], 7)
    for (const [args, mediaType] of [
      [['-f', 'mp3'], 'audio/mpeg'],
      [[...aac, '-f', 'adts'], 'audio/aac'],
    ] as const) {
      await using recording = await open(Buffer.concat([tag, made([...args])]))
      expect(recording.measured.mediaType).toBe(mediaType)
      expect((await whole(recording.sound())).samples.length).toBeGreaterThan(seconds * 16_000 - 1)
    }
  })

  test('a recording of minutes is decoded once, in a process of its own, and any spans of it are read at once', async () => {
    const bytes = made(['-b:a', '48k', '-f', 'mp3'], { rate: 24_000, length: 150 })
    await using recording = await open(onDisk(bytes))
    const all = (await whole(recording.sound())).samples
    expect(all.length).toBe(150 * 16_000)
    expect(correlation(all, judged(bytes))).toBeGreaterThan(0.999)
    const spans = [
      [0, 10],
      [9.5, 20.25],
      [149.99, 200],
      [60, 60.0001],
    ] as const
    const pieces = await Promise.all(spans.map(([from, to]) => whole(recording.sound({ from, to }))))
    for (const [index, [from, to]] of spans.entries()) {
      const expected = all.subarray(Math.round(from * 16_000), Math.round(to * 16_000))
      expect(pieces[index]!.samples.length).toBe(expected.length)
      expect(greatestDifference(pieces[index]!.samples, expected)).toBe(0)
    }
    const levels = await recording.levels()
    expect(levels.quiet.length).toBe(15_000)
    expect(levels).toEqual(await levelsOf([{ rate: 16_000, samples: all }]))
  })
})

/** Narrow-band AMR of noise: no encoder of it is here. */
function amrOf(frames: number): Buffer {
  let state = 7
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 24
  }
  const frame = (): number[] => [0x3c, ...Array.from({ length: 31 }, next)]
  return Buffer.concat([
    Buffer.from('#!AMR\n'),
    ...Array.from({ length: frames }, () => Buffer.from(frame())),
  ])
}

describe.skipIf(!hasFfmpeg)('what only ffmpeg reads', () => {
  const kinds: [string, string, string, () => Buffer][] = [
    ['ALAC in an m4a', 'audio/mp4', 'alac', () => made(['-c:a', 'alac', '-f', 'ipod'])],
    ['ALAC beside pictures', 'video/mp4', 'alac', () => made([...film, '-map', '1:v', '-map', '0:a', '-c:v', 'mpeg4', '-c:a', 'alac', '-f', 'mov'])],
    ['AIFF', 'audio/aiff', 'aiff', () => made(['-f', 'aiff'])],
    ['AIFF of little-endian samples', 'audio/aiff', 'aiff', () => made(['-c:a', 'pcm_s16le', '-f', 'aiff'])],
    ['PCM in a CAF', 'audio/x-caf', 'caf', () => made(['-f', 'caf'])],
    ['ALAC in a CAF', 'audio/x-caf', 'caf', () => made(['-c:a', 'alac', '-f', 'caf'])],
    ['WMA', 'audio/x-ms-wma', 'wma', () => made(['-c:a', 'wmav2', '-f', 'asf'])],
    ['AMR', 'audio/amr', 'amr', () => amrOf(63)],
    ['AMR in a 3GP', 'audio/mp4', 'amr', () => withFile(amrOf(63), 'amr', (file) => { ffmpeg(['-v', 'error', '-i', file, '-c', 'copy', '-f', '3gp', '-y', `${file}.3gp`]); return readFileSync(`${file}.3gp`) })],
  ] // biome-ignore format: a table

  test.each(kinds)(
    '%s is measured by decoding it, and sounds as it does there',
    async (_, mediaType, codec, make) => {
      const bytes = make()
      const expected = judged(bytes)
      for (const source of [bytes, onDisk(bytes)]) {
        await using recording = await open(source)
        expect(recording.measured).toMatchObject({ mediaType, codec, isDecodable: true, isTruncated: false })
        // No vendor gets it as it is.
        expect(recording.measured.packetSeconds).toBe(Number.POSITIVE_INFINITY)
        expect(Math.abs(recording.measured.seconds - expected.length / 16_000)).toBeLessThan(0.03)
        // The noise in AMR is clipped, which two resamplers do differently.
        const least = codec === 'amr' ? 0.9 : 0.995
        expect(correlation((await whole(recording.sound())).samples, expected)).toBeGreaterThan(least)
      }
      await expect(without.open(bytes, requester, { maxSeconds: 60 })).rejects.toMatchObject({
        ...{ fault: 'unsupported', codec, mediaType },
      })
    },
  )

  test('where it breaks off, it is heard up to there, and nothing is made longer than it is', async () => {
    for (const [name, , , make] of kinds.filter(([name]) => /^(AIFF|PCM|WMA|AMR$)/.test(name))) {
      const bytes = make()
      await using recording = await open(bytes.subarray(0, Math.floor(bytes.length / 2) + 1))
      expect([name, recording.measured.isTruncated]).toEqual([name, true])
      expect(recording.measured.seconds, name).toBeGreaterThan(0.3)
      expect(recording.measured.seconds, name).toBeLessThan(seconds / 1.5)
    }
    await expect(open(made(['-f', 'aiff']), 1)).rejects.toMatchObject({ fault: 'too_long' })
  })

  test('what names another file, or is no sound of its kind, is refused', async () => {
    const wma = made(['-c:a', 'wmav2', '-f', 'asf'])
    for (const bytes of [
      Buffer.concat([wma.subarray(0, 100), Buffer.alloc(2_000, 'file:///etc/passwd\n')]),
      Buffer.concat([Buffer.from('FORM\0\0\x10\0AIFF'), Buffer.alloc(4_096, '#EXTM3U\nhttp://127.0.0.1/\n')]),
      Buffer.concat([Buffer.from('caff\0\x01\0\0'), Buffer.alloc(4_096, 255)]),
      Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(3, 255)]),
    ])
      await expect(open(bytes)).rejects.toMatchObject({ name: 'SoundError' })
  })
})

describe.skipIf(!hasFfmpeg)('what breaks off', () => {
  const cuts: [string, string[], boolean][] = [
    ['a WAV', ['-f', 'wav'], false],
    ['an MP3', ['-f', 'mp3'], false],
    ['a FLAC', ['-c:a', 'flac', '-f', 'flac'], false],
    ['FLAC in Ogg', ['-c:a', 'flac', '-f', 'ogg'], false],
    ['Opus in Ogg', [...opus, '-f', 'ogg'], false],
    ['Vorbis in Ogg', ['-c:a', 'libvorbis', '-f', 'ogg'], false],
    ['AAC in ADTS', [...aac, '-f', 'adts'], false],
    ['Opus in WebM', [...opus, '-f', 'webm'], false],
    ['Opus in WebM, as browsers record', [...opus, '-f', 'webm'], true],
    ['Vorbis in WebM', ['-c:a', 'libvorbis', '-f', 'webm'], false],
    ['AAC in fragments', [...aac, ...fragments, '-f', 'mp4'], true],
    ['AAC behind its index', [...aac, '-movflags', '+faststart', '-f', 'mp4'], false],
  ]
  test.each(cuts)('%s is heard as it sounds up to there, and its length is that of what is heard', async (_, args, isStreamed) => {
    const bytes = made(args, { rate: 48_000, length: 3, isStreamed })
    await using all = await open(bytes)
    expect(all.measured.isTruncated).toBe(false)
    const complete = (await whole(all.sound())).samples
    for (const part of [0.98, 0.7, 0.5]) {
      await using recording = await open(bytes.subarray(0, Math.floor(part * bytes.length)))
      const { measured } = recording
      expect([measured.isTruncated, measured.packetSeconds]).toEqual([true, Number.POSITIVE_INFINITY])
      // A setup of kilobytes stands before Vorbis.
      expect(measured.seconds).toBeGreaterThan(3 * part - 0.9)
      expect(measured.seconds).toBeLessThan(3 * part + 0.4)
      const { samples } = await whole(recording.sound())
      expect(Math.abs(samples.length - measured.seconds * 16_000)).toBeLessThanOrEqual(1)
      expect(correlation(samples, complete.subarray(0, samples.length))).toBeGreaterThan(0.99)
    }
  })

  test.each([
    ['MP3', ['-b:a', '64k', '-f', 'mp3'], 'audio/mpeg'],
    ['AAC', [...aac, '-f', 'adts'], 'audio/aac'],
  ] as const)('%s of which the beginning is missing is heard from its first whole frame on', async (_, args, mediaType) => {
    const bytes = made([...args], { length: 3 })
    for (const from of [1, 700, 5_001]) {
      await using recording = await open(bytes.subarray(from))
      expect(recording.measured).toMatchObject({ mediaType, isTruncated: true })
      expect(recording.measured.seconds).toBeGreaterThan(2)
      expect((await whole(recording.sound())).samples.length).toBeGreaterThan(32_000)
    }
  })
}) // biome-ignore format: a table

describe.skipIf(!hasFfmpeg)('AAC without a decoder', () => {
  const length = 6
  let bytes: Buffer
  let expected: Float32Array
  beforeAll(() => {
    bytes = made([...aac, '-f', 'ipod'], { length })
    expected = judged(bytes)
  })

  test('is measured as with one, and is not decodable, in an error that names it', async () => {
    await using recording = await without.open(bytes, requester, { maxSeconds: 60 })
    expect(recording.measured).toMatchObject({ seconds: length, codec: 'aac', isDecodable: false })
    for (const act of [() => whole(recording.sound()), () => recording.levels(), () => recording.wav()])
      await expect(act()).rejects.toMatchObject({
        fault: 'unsupported',
        codec: 'aac',
        mediaType: 'audio/mp4',
      })
  })

  test('is cut by packets: each piece is AAC that says exactly which part it is, and sounds as that part does', async () => {
    await using recording = await without.open(onDisk(bytes), requester, { maxSeconds: 60 })
    let covered = 0
    for (const [from, to] of [
      [0, 2],
      [1.5, 4],
      [3.7, 6],
    ] as const) {
      const piece = (await recording.packets({ from, to }))!
      expect(piece.mediaType).toBe('audio/aac')
      expect(piece.start).toBeLessThanOrEqual(Math.min(from, covered))
      expect(piece.start).toBeGreaterThan(from - 0.06)
      expect(piece.end).toBeGreaterThanOrEqual(to - 1e-9)
      expect(piece.end).toBeLessThan(to + 0.06)
      covered = piece.end
      const sound = judged(piece.bytes)
      expect(sound.length / 16_000).toBeCloseTo(piece.end - piece.start, 2)
      // The first packet lacks the half of its sound that was in the one before.
      const lead = Math.round((from - piece.start) * 16_000)
      const part = expected.subarray(Math.round(from * 16_000), Math.round(to * 16_000))
      expect(correlation(sound.subarray(lead), part), `${from}`).toBeGreaterThan(0.995)
    }
    const { bytes: piece } = (await recording.packets({ from: 1, to: 2 }))!
    await using again = await without.open(piece, requester, { maxSeconds: 60 })
    expect(again.measured).toMatchObject({ mediaType: 'audio/aac', codec: 'aac' })
  })

  test('what is not AAC has no pieces by packets', async () => {
    await using recording = await open(made(['-f', 'wav']))
    expect(await recording.packets({ from: 0, to: 1 })).toBeUndefined()
  })
})
