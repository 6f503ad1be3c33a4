import { describe, expect, test } from 'vitest'
import { costOf, expectLinear, expectNoHold } from '../../../tests/cost/cost.ts'
import fc from '../../../tests/harness/fast-check.ts'
import {
  measure,
  measureAudio,
  measureImage,
  measureVideo,
  parseDataUrl,
  sniff,
  withTypeOfBytes,
} from './media.ts'

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0))
const be16 = (value: number) => [(value >> 8) & 255, value & 255]
const be32 = (value: number) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const le16 = (value: number) => be16(value).toReversed()
const le32 = (value: number) => be32(value).toReversed()
const bytes = (...parts: (number[] | Uint8Array)[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const zeros = (count: number) => new Array<number>(count).fill(0)

const png = (width: number, height: number) =>
  bytes(
    [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
    be32(13),
    ascii('IHDR'),
    be32(width),
    be32(height),
    [8, 2, 0, 0, 0],
    be32(0),
  )
const jpeg = (startOfFrame: number, width: number, height: number) =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0, ...be16(16), ...ascii('JFIF\0'), ...zeros(9)],
    // A Huffman table (C4) before the frame must not be taken for a frame; FF fill bytes may stand before a marker.
    [0xff, 0xc4, ...be16(5), 1, 2, 3, 0xff, 0xff, startOfFrame, ...be16(11), 8],
    be16(height),
    be16(width),
    [1, 1, 0x11, 0],
  )
const gif = (width: number, height: number) => bytes(ascii('GIF89a'), le16(width), le16(height), [0, 0, 0])
const webp = (chunk: string, payload: number[]) =>
  bytes(ascii('RIFF'), le32(payload.length + 12), ascii('WEBP'), ascii(chunk), le32(payload.length), payload)
const wav = (seconds: number, given: { rate?: number; channels?: number; claimed?: number } = {}) => {
  const { rate = 8000, channels = 1 } = given
  const size = seconds * rate * channels * 2
  return bytes(
    ascii('RIFF'),
    le32(36 + size),
    ascii('WAVEfmt '),
    le32(16),
    [
      ...le16(1),
      ...le16(channels),
      ...le32(rate),
      ...le32(rate * channels * 2),
      ...le16(channels * 2),
      ...le16(16),
    ],
    ascii('LIST'),
    [...le32(3), 1, 2, 3, 0],
    ascii('data'),
    le32(given.claimed ?? size),
    new Uint8Array(size),
  )
}
/** An MPEG-1 layer III frame of 44.1 kHz stereo; index 9 is 128 kbit/s (417 bytes), 5 is 64 kbit/s (208 bytes). */
const mp3Frame = (index = 9, table = '') => {
  const frame = new Uint8Array(index === 9 ? 417 : 208)
  frame.set([0xff, 0xfb, index << 4, 0])
  frame.set(ascii(table), 36)
  return frame
}
const mp3 = (count: number) => bytes(...Array.from({ length: count }, () => mp3Frame()))
const id3 = (size: number) => [...ascii('ID3'), 4, 0, 0, 0, 0, size >> 7, size & 0x7f, ...zeros(size)]
const box = (name: string, ...payload: number[][]) => {
  const inner = payload.flat()
  return [...be32(inner.length + 8), ...ascii(name), ...inner]
}
const mvhd = (timescale: number, ticks: number) =>
  box('mvhd', zeros(12), be32(timescale), be32(ticks), zeros(80))
const tkhd = (width: number, height: number) =>
  box('tkhd', zeros(76), be32(width * 65536), be32(height * 65536))
const mdhd = (timescale: number, ticks: number) =>
  box('mdhd', zeros(12), be32(timescale), be32(ticks), zeros(4))
const ftyp = box('ftyp', ascii('isom'), be32(512), ascii('isomavc1'))
const mp4 = (...boxes: number[][]) => bytes(ftyp, box('moov', ...boxes))
const film = mp4(
  mvhd(1000, 2500),
  box('trak', tkhd(0, 0)),
  box('trak', tkhd(1280, 720), box('mdia', mdhd(600, 1500))),
)

/** As many bytes as one request may bring: a beginning, and one piece again and again. */
const filled = (beginning: Uint8Array, piece: number[]) => {
  const made = Buffer.alloc(23 * 1024 * 1024, Uint8Array.from(piece))
  made.set(beginning)
  return made
}
/** Two frames in every 65,000 bytes of something else, which is as much as a player skips. */
const amongFrames = (piece: number[]) => {
  const made = filled(mp3(2), piece)
  for (let at = 65_000; at + 1000 < made.length; at += 65_000) made.set(mp3(2), at)
  return made
}
const jpegStart = bytes([0xff, 0xd8])
/** Files made to keep a measuring process busy, by what they consist of. */
const enormous: Record<string, () => Uint8Array> = {
  'jpeg fill bytes': () => filled(jpegStart, [0xff]),
  'jpeg restart markers': () => filled(jpegStart, [0xff, 0xd0]),
  'empty jpeg segments': () => filled(jpegStart, [0xff, 0xe1, 0, 2]),
  'empty wav chunks': () => filled(wav(0).subarray(0, 36), [...ascii('abcd'), ...le32(0)]),
  'empty mp4 boxes': () => filled(bytes(ftyp), box('free')),
  'false frames between mp3 frames': () => amongFrames([0xff, 0xfb, 0x90, 0]),
  'half tags between mp3 frames': () => amongFrames(ascii('TATA')),
  'zeros between mp3 frames': () => amongFrames([0]),
  'the shortest mp3 frames': () => filled(new Uint8Array(), [0xff, 0xf3, 0x14, 0xc0, ...zeros(20)]),
}

describe('sniff', () => {
  test('names every supported type by its magic bytes', () => {
    const samples: [Uint8Array, string][] = [
      [png(1, 1), 'image/png'],
      [jpeg(0xc0, 1, 1), 'image/jpeg'],
      [gif(1, 1), 'image/gif'],
      [webp('VP8X', zeros(10)), 'image/webp'],
      [wav(1), 'audio/wav'],
      [mp3(2), 'audio/mpeg'],
      [bytes(id3(200), mp3(1)), 'audio/mpeg'],
      [film, 'video/mp4'],
      [bytes([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84], ascii('webm')), 'video/webm'],
      [bytes(ascii('OggS'), zeros(20)), 'audio/ogg'],
      [bytes(ascii('fLaC'), zeros(20)), 'audio/flac'],
      [bytes(ascii('%PDF-1.7')), 'application/pdf'],
    ]
    for (const [sample, type] of samples) expect(sniff(sample)).toBe(type)
  })

  test('does not name text, markup, pictures of the mp4 family, or a chance sync word', () => {
    for (const text of ['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFF....AVI '])
      expect(sniff(bytes(ascii(text)))).toBeUndefined()
    expect(sniff(bytes(box('ftyp', ascii('avif'), be32(0))))).toBeUndefined()
    expect(sniff(bytes([0xff, 0xfb, 0x90, 0], zeros(600)))).toBeUndefined()
    expect(sniff(bytes([0x1a, 0x45, 0xdf, 0xa3], ascii('matroska'), zeros(60)))).toBeUndefined()
  })
})

describe('measureImage', () => {
  test('reads the size of png, baseline and progressive jpeg, and gif', () => {
    expect(measureImage(png(640, 480))).toEqual({ width: 640, height: 480 })
    expect(measureImage(jpeg(0xc0, 1920, 1080))).toEqual({ width: 1920, height: 1080 })
    expect(measureImage(jpeg(0xc2, 300, 65_535))).toEqual({ width: 300, height: 65_535 })
    expect(measureImage(gif(20, 10))).toEqual({ width: 20, height: 10 })
  })

  test('reads the size of a jpeg as people see it, whatever EXIF writes besides', () => {
    const intel = (orientation: number, tags = 2) => [
      ...ascii('II'),
      ...le16(42),
      ...le32(8),
      ...le16(tags),
      ...[...le16(0x010f), ...le16(2), ...le32(4), ...ascii('abcd')],
      ...[...le16(0x0112), ...le16(3), ...le32(1), ...le16(orientation), 0, 0],
    ]
    const motorola = (orientation: number, first = [0, 0, 0, 8]) => [
      ...ascii('MM'),
      0,
      42,
      ...first,
      0,
      1,
      0x01,
      0x12,
      0,
      3,
      0,
      0,
      0,
      1,
      0,
      orientation,
      0,
      0,
    ]
    const sizeWith = (tiff: number[]) => {
      const exif = [0xff, 0xe1, ...be16(8 + tiff.length), ...ascii('Exif\0\0'), ...tiff]
      const { width, height } = measureImage(bytes([0xff, 0xd8], exif, jpeg(0xc0, 400, 300).slice(2)))!
      return `${width}x${height}`
    }
    for (const upright of [0, 1, 2, 3, 4, 9]) {
      expect(sizeWith(intel(upright))).toBe('400x300')
      expect(sizeWith(motorola(upright))).toBe('400x300')
    }
    for (const turned of [5, 6, 7, 8]) {
      expect(sizeWith(intel(turned))).toBe('300x400')
      expect(sizeWith(motorola(turned))).toBe('300x400')
    }
    const broken = [intel(6, 1), intel(6).slice(0, 30), intel(1, 65_535), motorola(6, [255, 255, 255, 255])]
    for (const tiff of [[], ascii('II'), ascii('XXXXXXXX'), ...broken])
      expect(sizeWith([...tiff])).toBe('400x300')
  })

  test('reads the size of lossy, lossless and extended webp', () => {
    const lossy = [0, 0, 0, 0x9d, 0x01, 0x2a, ...le16(320), ...le16(200 | 0x4000)]
    const lossless = [0x2f, ...le32((319 | (199 << 14)) >>> 0), 0]
    const extended = [0, 0, 0, 0, 0x3f, 0x01, 0, 0xc7, 0, 0]
    for (const [chunk, payload] of [
      ['VP8 ', lossy],
      ['VP8L', lossless],
      ['VP8X', extended],
    ] as const)
      expect(measureImage(webp(chunk, [...payload]))).toEqual({ width: 320, height: 200 })
  })

  test('refuses an animation of more frames than are decoded', () => {
    const extended = bytes(ascii('VP8X'), le32(10), [2, 0, 0, 0, 0x3f, 0x01, 0, 0xc7, 0, 0])
    const frame = bytes(ascii('ANMF'), le32(1), [0, 0])
    const animation = (frames: number) =>
      Buffer.concat([
        ...[bytes(ascii('RIFF'), le32(0), ascii('WEBP')), extended],
        ...Array<Uint8Array>(frames).fill(frame),
      ])
    expect(measureImage(animation(5_000))).toEqual({ width: 320, height: 200 })
    expect(measureImage(animation(5_001))).toBeUndefined()
  })

  test('refuses an empty size and a header that ends early', () => {
    expect(measureImage(png(0, 480))).toBeUndefined()
    expect(measureImage(png(640, 480).slice(0, 20))).toBeUndefined()
    expect(measureImage(jpeg(0xc2, 300, 200).slice(0, 34))).toBeUndefined()
    expect(measureImage(bytes([0xff, 0xd8, 0xff, 0xda, 0, 2], zeros(50)))).toBeUndefined()
  })
})

describe('measureAudio', () => {
  test('reads the seconds of a wav, also when its writer left the size open', () => {
    expect(measureAudio(wav(3))).toEqual({ durationSeconds: 3 })
    expect(measureAudio(wav(2, { rate: 44_100, channels: 2 }))).toEqual({ durationSeconds: 2 })
    expect(measureAudio(wav(1, { claimed: 0xffff_ffff }))).toEqual({ durationSeconds: 1 })
  })

  test('a wav header cannot claim more sound than is there', () => {
    expect(measureAudio(wav(1, { claimed: 3_000_000 }))).toEqual({ durationSeconds: 1 })
  })

  test('counts the frames of an mp3 with and without an ID3 tag', () => {
    const seconds = (frames: number) => (frames * 1152) / 44_100
    expect(measureAudio(mp3(100))?.durationSeconds).toBeCloseTo(seconds(100), 6)
    expect(measureAudio(bytes(id3(300), mp3(50), ascii('TAG'), zeros(125)))?.durationSeconds).toBeCloseTo(
      seconds(50),
      6,
    )
  })

  test('counts variable bit rates by their frames and not by what a Xing table claims', () => {
    const table = mp3Frame(9, 'Xing')
    table.set([0, 0, 0, 1, ...be32(1_000_000)], 40)
    const variable = bytes(table, mp3Frame(5), mp3Frame(9), mp3Frame(5), mp3Frame(9))
    expect(measureAudio(variable)?.durationSeconds).toBeCloseTo((4 * 1152) / 44_100, 6)
  })

  test('refuses a wav without format, with rate zero, and bytes that are no sound', () => {
    expect(measureAudio(bytes(ascii('RIFF'), le32(4), ascii('WAVEdata'), le32(4), zeros(4)))).toBeUndefined()
    expect(measureAudio(wav(1, { rate: 0 }))).toBeUndefined()
    expect(measureAudio(bytes(ascii('garbage that is long enough to be looked at')))).toBeUndefined()
    expect(measureAudio(bytes(id3(100)))).toBeUndefined()
  })
})

describe('measureVideo', () => {
  test('reads size and length of an mp4, past its sound track', () => {
    expect(measureVideo(film)).toEqual({ width: 1280, height: 720, durationSeconds: 2.5 })
  })

  test('a short movie header cannot hide a long track', () => {
    const hiding = mp4(mvhd(1000, 1), box('trak', tkhd(640, 360), box('mdia', mdhd(1000, 60_000))))
    expect(measureVideo(hiding)?.durationSeconds).toBe(60)
  })

  test('reads the length of a fragmented mp4 from its fragments header', () => {
    const fragmented = mp4(
      mvhd(1000, 0),
      box('trak', tkhd(64, 64)),
      box('mvex', box('mehd', zeros(4), be32(4000))),
    )
    expect(measureVideo(fragmented)?.durationSeconds).toBe(4)
  })

  test('survives boxes of size 0, 1, 7 and of more than the file, and cut files', () => {
    for (const size of [0, 1, 7, 0xffff_fff0]) {
      const hostile = bytes(ftyp, be32(size), ascii('moov'), be32(size), ascii('trak'), zeros(64))
      expect(measureVideo(hostile)).toBeUndefined()
    }
    for (let end = 0; end < film.length; end++) expect(() => measure(film.subarray(0, end))).not.toThrow()
  })
})

describe('measure', () => {
  test('gives data, type and measures together', () => {
    const image = png(640, 480)
    expect(measure(image)).toEqual({ data: image, mediaType: 'image/png', width: 640, height: 480 })
    expect(measure(film)).toMatchObject({ mediaType: 'video/mp4', width: 1280, durationSeconds: 2.5 })
  })

  test('names without measures what it cannot measure, and refuses broken and unknown bytes', () => {
    const pdf = bytes(ascii('%PDF-1.7'))
    expect(measure(pdf)).toEqual({ data: pdf, mediaType: 'application/pdf' })
    expect(measure(png(0, 0))).toBeUndefined()
    expect(measure(bytes(ascii('hello')))).toBeUndefined()
  })

  test('arbitrary bytes, also behind a true beginning, never throw', () => {
    const beginnings = [
      png(1, 1),
      jpeg(0xc0, 1, 1),
      gif(1, 1),
      webp('VP8L', [0x2f]),
      wav(1),
      mp3(2),
      film,
      bytes(id3(9)),
      bytes(ftyp),
    ]
    const beginning = fc.tuple(fc.constantFrom(new Uint8Array(), ...beginnings), fc.nat(60))
    fc.assert(
      fc.property(beginning, fc.uint8Array({ maxLength: 400 }), ([head, keep], tail) => {
        const measured = measure(bytes(head.subarray(0, keep), tail))
        for (const value of [measured?.width, measured?.height, measured?.durationSeconds])
          if (value !== undefined) expect(value > 0 && Number.isFinite(value)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  test('hostile bytes are measured in a time that grows as their number', async () => {
    const boxes = (length: number) => {
      const made = new Uint8Array(length).fill(8)
      made.set(ftyp)
      return made
    }
    const syncWords = (length: number) =>
      new Uint8Array(length).map((_, index) => (index % 2 === 0 ? 0xff : 0xfb))
    const tagged = (length: number) => {
      const made = syncWords(length)
      made.set(id3(9))
      return made
    }
    const fillBytes = (length: number) => {
      const made = new Uint8Array(length).fill(0xff)
      made[1] = 0xd8
      return made
    }
    for (const make of [boxes, syncWords, tagged, fillBytes]) {
      const cost = (length: number) => {
        const hostile = make(length)
        return costOf(() => measure(hostile))
      }
      await expectLinear(make.name, cost, { from: 400_000, to: 3_200_000 })
    }
  })

  test.each(Object.entries(enormous))('23 MB of %s hold no event loop', async (name, make) => {
    const hostile = make()
    // Measuring takes at most 30 ms on the machine of docs/decisions/media/measuring.md; a machine half as fast stays below 100 ms.
    await expectNoHold(name, async () => measure(hostile), 100)
  })
})

describe('parseDataUrl', () => {
  test('takes type and data apart and leaves parameters out', () => {
    expect(parseDataUrl('data:image/PNG;base64,AAAA')).toEqual({ mediaType: 'image/png', base64: 'AAAA' })
    expect(parseDataUrl('DATA:audio/webm;codecs=opus;BASE64,')).toEqual({
      mediaType: 'audio/webm',
      base64: '',
    })
    // Letters that become two in small letters move nothing.
    const named = 'data:text/plain;name=İİİİ.txt;base64,AAAA'
    expect(parseDataUrl(named)).toEqual({ mediaType: 'text/plain', base64: 'AAAA' })
  })

  test('calls the type by its usual name, whatever browsers write behind it', () => {
    for (const [head, mediaType] of [
      ['image/jpg', 'image/jpeg'],
      ['audio/x-m4a', 'audio/mp4'],
      ['audio/ogg; codecs=opus', 'audio/ogg'],
      ['video/webm;codecs=vp8,opus', 'video/webm'],
    ] as const)
      expect(parseDataUrl(`data:${head};base64,AAAA`)).toEqual({ mediaType, base64: 'AAAA' })
  })

  test('a data URL gets the type of its bytes, and nothing else is changed', () => {
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64')
    expect(withTypeOfBytes(`data:image/png;base64,${jpeg}`)).toBe(`data:image/jpeg;base64,${jpeg}`)
    expect(withTypeOfBytes('data:image/jpg;base64,AAAA')).toBe('data:image/jpeg;base64,AAAA')
    for (const url of [`data:image/jpeg;base64,${jpeg}`, 'https://example.com/a.png', 'data:,a'])
      expect(withTypeOfBytes(url)).toBe(url)
  })

  test('refuses other URLs, data without Base64, and heads without end', () => {
    for (const url of [
      'https://example.com/a.png',
      'data:image/png,AAAA',
      'data:;base64,AAAA',
      `data:${'a'.repeat(1_000_000)}`,
    ])
      expect(parseDataUrl(url)).toBeUndefined()
  })
})
